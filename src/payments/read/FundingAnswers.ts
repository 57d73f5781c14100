/** What features that pay from accounts of their own answered to whoever asked for the payment, as it would be now. */
import { Context, type Option } from "effect"
import type { AccountKind } from "../../domain/Ledger.ts"
import type { Payment } from "../store/Payment.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

export type ReplayedAnswer = (payment: Payment) => Stored<Option.Option<string>>

/** By the kind of the account that pays; none where nobody has words of their own for it. */
export class ReplayedAnswers extends Context.Tag("corridor/ReplayedAnswers")<
  ReplayedAnswers,
  Readonly<Partial<Record<AccountKind, ReplayedAnswer>>>
>() {}
