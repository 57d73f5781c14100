/** What features that pay from accounts of their own have to say, and to tell, when such a payment moves on. */
import { Context, Effect, Option } from "effect"
import type { Conflict } from "../../domain/Failure.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import type { Payment } from "../store/Payment.ts"
import type { StoredEvent } from "../../webhooks/Webhook.ts"

export class FundingEvents extends Context.Reference<FundingEvents>()("corridor/FundingEvents", {
  defaultValue: () => ({
    /** Whether the account may still pay, inside the transaction that sends a payment on its way that waited. */
    admit: (_payment: Payment): Effect.Effect<void, Conflict> => Effect.void,
    /** What the feature answered to whoever asked for the payment, as it would be now; none where it has no words. */
    answerOf: (_payment: Payment): Effect.Effect<Option.Option<string>> => Effect.succeed(Option.none()),
    /** `payment` is as it will be after the change; its events are written with it. */
    of: (_payment: Payment, _previous: PaymentStatus): Effect.Effect<ReadonlyArray<StoredEvent>> => Effect.succeed([])
  })
}) {}
