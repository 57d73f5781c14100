/** `corridor demo` */
import { Effect, Option } from "effect"
import { AppLive } from "../../app/Live.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import { tour } from "../demo/Tour.ts"
import { permitFor } from "../shared/Operator.ts"
import { report } from "../shared/Report.ts"

/** The only part that looks into the database, and so the only one that waits for it. */
const books = Effect.gen(function* () {
  const ledger = yield* Ledger
  return yield* ledger.check(yield* permitFor("platform"))
}).pipe(Effect.provide(AppLive))

const shown = (asJson: boolean) =>
  Effect.gen(function* () {
    const { sandbox, steps, webhooks } = yield* tour(asJson, books)
    const failed = steps.filter(({ ok }) => !ok).map(({ step }) => step)
    return {
      data: { base_url: sandbox.baseUrl, org_id: sandbox.orgId, steps, webhooks },
      text: `That was the tour. The API reference is at ${sandbox.baseUrl.replace(/\/v1$/, "/docs")}.`,
      failure:
        failed.length === 0
          ? Option.none<string>()
          : Option.some(`${failed.length} of ${steps.length} steps failed: ${failed.join(", ")}.`)
    }
  }).pipe(Effect.scoped, Effect.provide(Settings.layer))

export const show = (input: { readonly json: boolean }) => report(input.json, shown(input.json))
