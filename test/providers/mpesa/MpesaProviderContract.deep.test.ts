import { CountryCode } from "../../../src/domain/Country.ts"
import { mpesaFake } from "../../fakes/MpesaFake.ts"
import { mpesa } from "../../../src/providers/mpesa/MpesaAdapter.ts"
import { providerContract } from "../support/providerContract.ts"
import type { Sample } from "../support/Samples.ts"

const byPhone: Sample = {
  currency: "KES",
  wholeUnits: true,
  provedBy: "address",
  order: (basics) => ({
    ...basics,
    method: "mobile_money",
    country: CountryCode.make("KE"),
    mobileMoney: { network: "mpesa", phoneNumber: "+254712345678" }
  })
}

providerContract(mpesa, mpesaFake, {
  payin: { ...byPhone, otherAmount: "declined" },
  payout: { ...byPhone, declines: "later", namedBy: "callback" }
})
