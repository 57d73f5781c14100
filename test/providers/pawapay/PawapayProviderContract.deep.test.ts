import { CountryCode } from "../../../src/domain/Country.ts"
import { pawapayFake } from "../../fakes/PawapayFake.ts"
import { pawapay } from "../../../src/providers/pawapay/PawapayAdapter.ts"
import { providerContract } from "../support/providerContract.ts"
import type { Sample } from "../support/Samples.ts"

const byPhone: Sample = {
  currency: "ZMW",
  order: (basics) => ({
    ...basics,
    method: "mobile_money",
    country: CountryCode.make("ZM"),
    mobileMoney: { network: "mtn", phoneNumber: "+260763456789" }
  })
}

providerContract(pawapay, pawapayFake, { payin: byPhone, payout: byPhone, refund: true })
