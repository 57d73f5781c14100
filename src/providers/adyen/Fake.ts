/** An Adyen to try Corridor with: it speaks Adyen's wire, checks what it is sent as Adyen does, and signs its callbacks. */
import type { Fake } from "../fakes/Fake.ts"
import { checkout } from "./FakeCheckout.ts"
import { callbackOf, credentials, disputes, refundedByHand } from "./FakeShown.ts"
import { transfers } from "./FakeTransfers.ts"

export const adyenFake: Fake = {
  name: "adyen",
  credentials,
  routes: (world) => [...checkout(world), ...transfers(world)],
  callbackOf,
  disputes,
  refundedByHand
}
