/** Table of all third parties with an adapter. */
import type { Redacted } from "effect"
import type { ThirdPartyName } from "../../domain/Corridor.ts"
import type { Account, CredentialFields, Credentials, ThirdParty } from "../port/ThirdParty.ts"
import type { Provider } from "../port/Provider.ts"
import { adyen } from "../adyen/AdyenAdapter.ts"
import { circle } from "../circle/CircleAdapter.ts"
import { coinbase } from "../coinbase/CoinbaseAdapter.ts"
import { flutterwave } from "../flutterwave/FlutterwaveAdapter.ts"
import { mpesa } from "../mpesa/MpesaAdapter.ts"
import { mtnMomo } from "../mtnMomo/MtnMomoAdapter.ts"
import { pawapay } from "../pawapay/PawapayAdapter.ts"
import { paypal } from "../paypal/PaypalAdapter.ts"
import { paystack } from "../paystack/PaystackAdapter.ts"
import { stripe } from "../stripe/StripeAdapter.ts"

/** By the names of the declared fields; all that are not optional are there. */
export type GivenCredentials = Readonly<Record<string, Redacted.Redacted>>

interface AnyAccount extends Omit<Account<CredentialFields>, "credentials"> {
  readonly credentials: GivenCredentials
}

/** A third party whose fields only its declaration knows. */
export interface AnyThirdParty extends Omit<ThirdParty, "connect"> {
  readonly connect: (account: AnyAccount) => Provider
}

const any = <Fields extends CredentialFields>(party: ThirdParty<Fields>): AnyThirdParty => ({
  ...party,
  connect: ({ credentials, ...account }) =>
    party.connect({ ...account, credentials: credentials as Credentials<Fields> })
})

export const thirdParties: ReadonlyArray<AnyThirdParty> = [
  any(stripe),
  any(adyen),
  any(paypal),
  any(paystack),
  any(flutterwave),
  any(mtnMomo),
  any(pawapay),
  any(circle),
  any(coinbase),
  any(mpesa)
]

const byName = new Map<string, AnyThirdParty>(thirdParties.map((party) => [party.name, party]))

export const thirdPartyNamed = (name: string): AnyThirdParty | undefined => byName.get(name)

/** Prefix of its settings, such as MTN_MOMO. */
export const settingsPrefix = (name: ThirdPartyName): string => name.toUpperCase()
