/** Orders for pawaPay in two of its countries, and an account at its fake on the clock of the tests. */
import { pawapayFake } from "../../fakes/PawapayFake.ts"
import { pawapay } from "../../../src/providers/pawapay/PawapayAdapter.ts"
import { againstFake, byTestClock } from "../support/AgainstFake.ts"
import { type About, amount, orderOf } from "../support/TestOrders.ts"

export const kenya = (text: string, about: About = {}) =>
  orderOf({
    method: "mobile_money",
    country: "KE",
    money: amount(text, "KES"),
    mobileMoney: { network: "mpesa", phoneNumber: "+254703456789" },
    ...about
  })

export const zambia = (text: string, about: About = {}) =>
  orderOf({
    method: "mobile_money",
    country: "ZM",
    money: amount(text, "ZMW"),
    mobileMoney: { network: "mtn", phoneNumber: "+260763456789" },
    ...about
  })

export const joined = againstFake(pawapay, pawapayFake, { paces: byTestClock })
