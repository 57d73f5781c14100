/** Sends a receipt to the payer's e-mail address, at the payer's request. */
import { Clock, Context, Effect, Layer } from "effect"
import { asName } from "../../domain/MailSafeText.ts"
import { receiptsPerMinute } from "../../domain/policies/PaymentPolicies.ts"
import { RateLimits } from "../../platform/rateLimits/RateLimits.ts"
import { Notifier } from "../../platform/notifications/Notifier.ts"
import type { PageText } from "./languages/English.ts"
import { amountText } from "./PageText.ts"
import { type PaymentOnPage, payersAddress, receiptLines } from "./PageLayout.ts"
import { catchRefusal, type Stored } from "../../platform/database/DatabaseFailure.ts"
import { traced } from "../../platform/observability/Spans.ts"

export class SendReceipt extends Context.Tag("corridor/SendReceipt")<
  SendReceipt,
  /** `address`: link to the receipt. */
  (shown: PaymentOnPage, words: PageText, address: string) => Stored<"sent" | "failed">
>() {
  static readonly layer = Layer.effect(
    SendReceipt,
    Effect.gen(function* () {
      const notifier = yield* Notifier
      const { limiter } = yield* RateLimits
      const asked = limiter("receipts", receiptsPerMinute)

      return traced("SendReceipt.send")(function* (shown, words, address) {
        const { behind, merchant, payment, testMode } = shown
        const to = payersAddress(payment)
        if (to === undefined || payment.status !== "completed") return "failed"
        if (!asked.take(payment.payment_id, yield* Clock.currentTimeMillis).allowed) return "failed"
        const amount = amountText(payment.amount, words)
        const name = asName(merchant)
        return yield* notifier
          .send({
            to,
            subject: words.receiptSubject(amount, name),
            text: [
              ...(testMode ? [words.testMode, ""] : []),
              words.receiptText(amount, name),
              ...(behind === undefined ? [] : [words.behind(asName(behind))]),
              "",
              ...receiptLines(shown, words).map(([title, value]) => `${title}${words.colon} ${asName(value)}`),
              "",
              address
            ].join("\n"),
            org_id: payment.org_id,
            kind: "receipt",
            priority: "medium"
          })
          .pipe(
            Effect.as("sent" as const),
            catchRefusal(({ message }) =>
              Effect.as(Effect.logWarning(`A receipt could not be sent: ${message}`), "failed" as const)
            )
          )
      })
    })
  )
}
