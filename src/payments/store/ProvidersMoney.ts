import type { Money } from "../../domain/Money.ts"
import type { Payment } from "./Payment.ts"

/** What the provider itself collects or pays. */
export const providersMoney = ({
  amount,
  direction,
  target
}: Pick<Payment, "amount" | "direction" | "target">): Money => (direction === "outbound" ? target : amount)
