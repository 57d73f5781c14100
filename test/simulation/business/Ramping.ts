/** Crypto ramps, both ways. */
import { Effect } from "effect"
import { lockedRate } from "./Paying.ts"
import { ask } from "./Scene.ts"
import { type Act, purposeOf } from "./Step.ts"

const wallet = "0x52908400098527886E0F7030069857D2E4169EE7"

export const ramp: Act = (scene, step) =>
  Effect.gen(function* () {
    const { chance } = scene.outside
    const purpose = purposeOf(step)
    const organisation = scene.organisations[step.by % scene.organisations.length]!
    const isOn = chance.happens(0.6, `${purpose} way`)
    const fiat_amount = chance.between(1_000, 900_000, `${purpose} amount`) / 100
    const [from, to] = isOn ? ["KES", "USDT"] : ["USDT", "KES"]
    const rate = yield* lockedRate(scene, organisation, from!, to!, 100)
    if (rate === undefined) return
    const body = {
      fiat_currency: "KES",
      fiat_amount,
      client_rate: rate.rate,
      crypto_currency: "USDT",
      crypto_network: "POLYGON",
      country: "KE",
      ...(isOn
        ? { wallet_address: wallet, bank_details: { account_number: "1100223344", bank_code: "01", bank_name: "KCB" } }
        : { beneficiary_id: organisation.phone })
    }
    const key = chance.happens(0.7, `${purpose} has a key`) ? { key: `key of ${purpose}` } : {}
    yield* ask(scene, organisation.owner, { path: "/v1/payments-init/ramp", body, ...key })
  })
