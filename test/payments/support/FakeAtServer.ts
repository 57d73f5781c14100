/** A real adapter and the fake of its third party behind a payment server, whose callbacks a test hands over when it likes. */
import { Effect } from "effect"
import type { Fake } from "../../fakes/Fake.ts"
import type { ProviderCall, ProviderHttp, ProviderReply } from "../../../src/providers/client/ProviderHttp.ts"
import { wrapProvider } from "../../../src/providers/port/ProviderWrappers.ts"
import type { CredentialFields, ThirdParty } from "../../../src/providers/port/ThirdParty.ts"
import { type Connection, againstFake } from "../../providers/support/AgainstFake.ts"
import { connected } from "../../providers/support/ConnectedAdapter.ts"
import { send } from "../../support/Send.ts"

type Around = <E>(call: ProviderCall, reply: Effect.Effect<ProviderReply, E>) => Effect.Effect<ProviderReply, E>

export const atServer = <Fields extends CredentialFields>(
  party: ThirdParty<Fields>,
  fake: Fake,
  connection: Connection = {}
) => {
  let http: ProviderHttp | undefined
  let around: Around = (_, reply) => reply
  const late: ProviderHttp = { call: (call) => Effect.suspend(() => around(call, http!.call(call))) }
  const { rawCards = false } = connection
  // Wrapped as every third party is, so that references are what they are at a provider.
  const provider = wrapProvider(
    connected(party, late, fake.credentials, { rawCards, callbackUrl: "http://127.0.0.1/callbacks" })
  )
  const opened = Effect.gen(function* () {
    const running = yield* againstFake(party, fake, connection)
    http = running.http
    around = (_, reply) => reply
    let read = 0
    /** All that was called back since. */
    const fresh = Effect.sync(() => {
      const all = running.callbacks.slice(read)
      read = running.callbacks.length
      return all
    })
    const handOver = (request: (typeof running.callbacks)[number]) =>
      send(`/callbacks/${fake.name}`, {
        method: "POST",
        headers: Object.fromEntries(
          Object.entries(request.headers).flatMap(([name, value]) =>
            typeof value === "string" && !["host", "connection", "content-length", "transfer-encoding"].includes(name)
              ? [[name, value]]
              : []
          )
        ),
        body: request.body
      })
    return { ...running, fresh, handOver, around: (next: Around) => void (around = next) }
  })
  return { provider, opened }
}
