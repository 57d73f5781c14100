/** An adapter that speaks to a running fake of its third party, with the account that the fake takes. */
import { Effect, Redacted } from "effect"
import { makeCallsUnderWay } from "../../../src/providers/client/CallsUnderWay.ts"
import type { CallLimits } from "../../../src/providers/client/UndiciExchange.ts"
import { makeProviderHttp } from "../../../src/providers/client/UndiciHttp.ts"
import type { RunningFake } from "../../../src/providers/fakes/FakeServer.ts"
import type { CredentialFields, Credentials, ThirdParty } from "../../../src/providers/port/ThirdParty.ts"

export interface Connection {
  /** Instead of those that the fake takes. */
  readonly credentials?: (taken: RunningFake["credentials"]) => RunningFake["credentials"]
  readonly rawCards?: boolean
  readonly limits?: CallLimits
}

export const connectTo = <Fields extends CredentialFields>(
  definition: ThirdParty<Fields>,
  running: RunningFake,
  { credentials = (taken) => taken, limits, rawCards = false }: Connection = {}
) =>
  Effect.gen(function* () {
    const http = yield* makeProviderHttp({
      provider: definition.name,
      account: "platform",
      baseUrl: running.url,
      mode: "sandbox",
      callsUnderWay: makeCallsUnderWay(),
      ...(limits === undefined ? {} : { limits })
    })
    return definition.connect({
      configId: null,
      mode: "sandbox",
      credentials: Object.fromEntries(
        Object.entries(credentials(running.credentials)).map(([name, value]) => [name, Redacted.make(value)])
      ) as Credentials<Fields>,
      baseUrl: running.url,
      callbackUrl: running.world.callbackUrl,
      rawCards,
      http
    })
  })
