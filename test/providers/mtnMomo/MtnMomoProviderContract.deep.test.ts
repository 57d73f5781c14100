import { CountryCode } from "../../../src/domain/Country.ts"
import { mtnMomoFake } from "../../fakes/MtnMomoFake.ts"
import { mtnMomo } from "../../../src/providers/mtnMomo/MtnMomoAdapter.ts"
import { providerContract } from "../support/providerContract.ts"
import type { Sample } from "../support/Samples.ts"

const byPhone: Sample = {
  currency: "UGX",
  order: (basics) => ({
    ...basics,
    method: "mobile_money",
    country: CountryCode.make("UG"),
    mobileMoney: { network: "mtn", phoneNumber: "+256772123456" }
  })
}

providerContract(mtnMomo, mtnMomoFake, { payin: byPhone, payout: byPhone, refund: true })
