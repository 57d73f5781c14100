import { amountText, isZero, minus, inputText, requireAmount, type Amount, parseAmount } from "../../api/Amount.ts"
import type { Answer } from "../../api/ConsoleApi.ts"
import { AmountField, Field, filled } from "../../components/Form.tsx"
import { ActionButton } from "../../components/Dialog.tsx"
import { Reload } from "../../components/PageFrame.tsx"
import { useContext } from "preact/hooks"
import { hasAccess } from "../../state/ConsoleSession.ts"
import type { Payment } from "./PaymentTable.tsx"
import type { TimelineItem } from "./PaymentTimeline.tsx"
import { Loading } from "../../components/Loading.tsx"
import { useLoad } from "../../state/LoadHooks.ts"
import { providerNames } from "../providers/ProviderNames.ts"
import { detailText } from "../../state/Display.ts"
import { isFinal } from "../../../domain/PaymentStatus.ts"

type OpenItem = Answer<"resolutions", "decisions">["data"]["items"][number]
type Decision = OpenItem["decisions"][number]

/** Formats the provider code and the amounts in a decision's text. */
const withProviderName = (says: string): string =>
  detailText(
    says.replace(/(?<=through )[a-z_]+/, (code) => providerNames.get(code) ?? code),
    providerNames
  )

const balanceText = ({ after, before, currency, owes }: Decision): string | undefined => {
  if (before === null || after === null || currency === null) return undefined
  const text = (amount: Amount) => `${amountText(amount)} ${currency}`
  const debt = owes === null || isZero(owes) ? "" : ` It then owes ${text(owes)}, deducted from its next credits.`
  return amountText(before) === amountText(after)
    ? `The organisation's balance stays ${text(before)}.${debt}`
    : `The organisation's balance: ${text(before)} now, ${text(after)} afterwards.${debt}`
}

interface DecisionButtonProps {
  readonly paymentId: string
  readonly item: OpenItem
  readonly decision: Decision
}

const DecisionButton = ({ decision, item: { decisions, item_id }, paymentId }: DecisionButtonProps) => {
  const { action, currency, movement_id, outcome, says } = decision
  const path = { payment_id: paymentId }
  const about = item_id === null ? {} : { item_id }
  const balance = balanceText(decision)
  return (
    <ActionButton
      name={withProviderName(says)}
      title="Decision"
      kind={decision === decisions[0] ? "primary" : outcome === "failed" ? "danger" : "plain"}
      explanation={
        <>
          <p>
            <strong>{withProviderName(says)}.</strong>
          </p>
          {balance !== undefined && <p>{balance}</p>}
          <p>
            {action === "give_back"
              ? "Repeating this never sends the money twice."
              : "Check the payment at the provider first. This cannot be undone."}
          </p>
        </>
      }
      submit={action === "give_back" ? "Return the money" : `Settle as ${outcome}`}
      done={action === "give_back" ? "Money returned" : `Settled as ${outcome}`}
      act={({ amount = "", reason = "" }, send) => {
        if (outcome === null) return send("resolutions", "giveBack", { path, payload: { reason, ...about } })
        const right = movement_id === null ? {} : { movement_id, amount: requireAmount(amount) }
        return send("resolutions", "resolve", { path, payload: { outcome, reason, ...about, ...right } })
      }}
    >
      {movement_id !== null && currency !== null && <AmountField currency={currency} />}
      <Field name="reason" label="Reason" required hint="Saved with the payment and in the audit log, with your name" />
    </ActionButton>
  )
}

interface ManualDecisionsProps {
  readonly paymentId: string
  /** Open item to decide; absent: all of the payment. */
  readonly itemId?: string
  /** Last change of the payment; a new value loads the decisions again. */
  readonly asOf?: string
}

/** Decisions of an operator, after checking with the provider. */
export const ManualDecisions = ({ asOf, itemId, paymentId }: ManualDecisionsProps) => {
  const loaded = useLoad(
    (get) => get("resolutions", "decisions", { path: { payment_id: paymentId } }),
    [paymentId, itemId, asOf]
  )
  const reload = useContext(Reload)
  const decided = () => {
    loaded.reload()
    reload()
  }
  return (
    <Loading loaded={loaded} lines={1}>
      {({ data }) => {
        const items = data.items.filter(({ item_id }) => itemId === undefined || item_id === itemId)
        return (
          <Reload.Provider value={decided}>
            {items.map((item) => (
              <div key={item.item_id ?? item.kind} class="actions decisions">
                {items.length > 1 && <p class="muted">{detailText(item.detail, providerNames)}</p>}
                {item.decisions.map((decision) => (
                  <DecisionButton key={decision.says} paymentId={paymentId} item={item} decision={decision} />
                ))}
              </div>
            ))}
          </Reload.Provider>
        )
      }}
    </Loading>
  )
}

/** Review of a payment; its initiator cannot do it. */
export const ReviewActions = ({ paymentId }: { readonly paymentId: string }) => {
  const path = { payment_id: paymentId }
  return (
    <>
      <ActionButton
        name="Approve"
        title="Approve this payment"
        kind="primary"
        explanation="Sends the payment to its provider now. The person who initiated it cannot approve it."
        done="Payment approved"
        act={({ accept_rate = "" }, send) => {
          const rate = parseAmount(accept_rate)
          const payload = { action: "review" as const, ...(rate === undefined ? {} : { accept_rate: rate }) }
          return send("paymentsInit", "action", { path, payload })
        }}
      >
        <Field
          name="accept_rate"
          label="New rate"
          inputMode="decimal"
          required={false}
          hint="Only if the payment's rate has expired; the error names the new rate."
        />
      </ActionButton>
      <ActionButton
        name="Reject"
        title="Reject this payment"
        kind="danger"
        explanation="Rejects the payment for good. Held money returns to the balance."
        submit="Reject the payment"
        done="Payment rejected"
        act={({ reason = "" }, send) => send("paymentsInit", "action", { path, payload: { action: "reject", reason } })}
      >
        <Field name="reason" label="Reason" required />
      </ActionButton>
    </>
  )
}

interface PaymentActionsProps {
  readonly payment: Payment
  readonly items: ReadonlyArray<TimelineItem>
}

const Refund = ({ payment }: Pick<PaymentActionsProps, "payment">) => {
  const left = minus(payment.amount, payment.refunded_amount)
  if (payment.direction !== "inbound" || payment.status !== "completed" || isZero(left) || !hasAccess("refunds"))
    return null
  return (
    <ActionButton
      name="Refund"
      title="Refund this payment"
      kind="primary"
      explanation={`Refunds the payer through the same provider and debits your balance. Fees are not refunded. At most ${amountText(left)} ${payment.currency} can be refunded.`}
      done="Refund requested"
      act={({ amount = "", reason = "" }, send) =>
        send("paymentsInit", "action", {
          path: { payment_id: payment.payment_id },
          payload: { action: "refund", amount: requireAmount(amount), ...filled({ reason }) }
        })
      }
    >
      <AmountField currency={payment.currency} value={inputText(left)} />
      <Field name="reason" label="Reason" required={false} />
    </ActionButton>
  )
}

const Cancel = ({ payment }: Pick<PaymentActionsProps, "payment">) =>
  isFinal(payment.status) ? null : (
    <ActionButton
      name="Cancel"
      title="Cancel this payment"
      kind="danger"
      explanation="Cancels the payment. If a provider already has it, the provider must agree; otherwise nothing changes."
      submit="Cancel the payment"
      done="Payment canceled"
      act={({ reason = "" }, send) =>
        send("paymentsInit", "action", {
          path: { payment_id: payment.payment_id },
          payload: { action: "cancel", ...filled({ reason }) }
        })
      }
    >
      <Field name="reason" label="Reason" required={false} />
    </ActionButton>
  )

const hasOpenItem = (items: ReadonlyArray<TimelineItem>, kind: string): boolean =>
  items.some((item) => item.kind === "operator" && item.closed_at === null && item.item === kind)

/** Actions allowed by the payment's status and the user's access. */
export const PaymentActions = ({ items, payment }: PaymentActionsProps) => {
  const { payment_id, provider, status } = payment
  const isUnsettled = status === "processing" || status === "pending"
  // The payout of a ramp may wait to be sent, and can be stopped.
  const maybeDecided = isUnsettled && (provider === "manual" || payment.direction === "external")
  return (
    <>
      {hasOpenItem(items, "review") && hasAccess("reviews") && <ReviewActions paymentId={payment_id} />}
      {hasAccess("platform") &&
        (maybeDecided || hasOpenItem(items, "unknown_outcome") || hasOpenItem(items, "suspense")) && (
          <ManualDecisions paymentId={payment_id} asOf={payment.updated_at} />
        )}
      <Refund payment={payment} />
      <Cancel payment={payment} />
    </>
  )
}
