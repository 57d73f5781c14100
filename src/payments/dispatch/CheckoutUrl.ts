/** The address of a payment's hosted page; its token proves that we gave it out. */
import { Context, Effect, Layer } from "effect"
import type { PaymentId } from "../../domain/Identifiers.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { Vault } from "../../platform/secrets/Vault.ts"

export class CheckoutUrl extends Context.Tag("corridor/CheckoutUrl")<CheckoutUrl, (paymentId: PaymentId) => string>() {
  static readonly layer = Layer.effect(
    CheckoutUrl,
    Effect.gen(function* () {
      const vault = yield* Vault
      const { publicUrl } = yield* Settings
      return (paymentId) => `${publicUrl}/checkout/${paymentId}?t=${vault.hmac(paymentId, "checkout").slice(0, 32)}`
    })
  )
}
