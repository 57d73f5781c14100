/** The address of a payment's hosted page; its token proves that we gave it out. */
import { Effect } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import { Vault } from "../../platform/secrets/Vault.ts"

export const makeCheckoutUrl = Effect.gen(function* () {
  const vault = yield* Vault
  const { publicUrl } = yield* Settings
  return (paymentId: string): string =>
    `${publicUrl}/checkout/${paymentId}?t=${vault.hmac(paymentId, "checkout").slice(0, 32)}`
})
