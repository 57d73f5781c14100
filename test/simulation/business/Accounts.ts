/** Credentials that are replaced by those of another account at the vendor, and accounts that speak for each other. */
import { Effect } from "effect"
import type { ProviderName } from "../../../src/domain/Corridor.ts"
import { placeOf, sharesIds } from "../providers/SimulatedProvider.ts"
import { ask } from "./Scene.ts"
import { type Act, purposeOf } from "./Step.ts"

/** While attempts are open there: the new account knows nothing of them, the one before still calls back. */
export const replaceAccount: Act = (scene, step) =>
  Effect.sync(() => {
    const { chance } = scene.outside
    const providers: ReadonlyArray<ProviderName> = ["stripe", "adyen", "paystack", "circle", "coinbase"]
    const places = new Set(
      Array.from(scene.world.tables.attempts.values(), ({ account, provider }) => placeOf(provider, account))
    )
    const place = chance.pick(places.size > 0 ? Array.from(places) : providers, `${purposeOf(step)} which`)
    scene.outside.count("fault: another account")
    scene.outside.tell(`${place} is reached through another account from now on`)
    scene.replaceAccount(place)
  })

const GUESSED = [1, 2, 3, 4]

/** Whoever holds the secret of an account of its own says with it that payments of the platform's account are paid. */
export const claimElsewhere: Act = (scene, step) =>
  Effect.suspend(() => {
    const own = scene.organisations.find(({ ownAccount }) => ownAccount !== null)?.ownAccount
    // What it says of ids that are its own as well is the truth about those.
    if (own === undefined || own === null || sharesIds(scene.outside)) return Effect.void
    scene.outside.count("fault: claim through another account")
    const said = GUESSED.map((number) => ({
      key: `${purposeOf(step)} ${number}`,
      reference: null,
      providerPaymentId: `stripe-${number}`,
      state: "completed",
      status: "claimed"
    }))
    const path = `/callbacks/${placeOf("stripe", own)}`
    return Effect.asVoid(ask(scene, null, { path, headers: { "x-proof": "genuine" }, body: said }))
  })
