import { amountText, isZero, minus, inputText, requireAmount, type Amount, parseAmount } from "../../api/Amount.ts"
import { call, type Request, type Answer } from "../../api/ApiClient.ts"
import { Field } from "../../components/Form.tsx"
import { ActionButton } from "../../components/Dialog.tsx"
import { hasAccess } from "../../state/ConsoleSession.ts"
import type { Payment } from "./PaymentTable.tsx"
import type { TimelineItem } from "./PaymentTimeline.tsx"
import { Loading } from "../../components/Loading.tsx"
import { useLoad } from "../../state/LoadHooks.ts"
import { providerNames } from "../providers/ProviderNames.ts"
import { detailText } from "../../state/Display.ts"

type OpenItem = Answer<"resolutions", "decisions">["data"]["items"][number]
type Decision = OpenItem["decisions"][number]

const Reason = () => (
  <Field name="reason" label="Reason" required hint="Saved with the payment and in the audit log, with your name" />
)

/** With the provider by its name, and amounts as every other page writes them. */
const withProviderName = (says: string): string =>
  detailText(
    says.replace(/(?<=through )[a-z_]+/, (code) => providerNames.get(code) ?? code),
    providerNames
  )

const balanceText = ({ after, before, currency, owes }: Decision): string | undefined => {
  if (before === null || after === null || currency === null) return undefined
  const text = (amount: Amount) => `${amountText(amount)} ${currency}`
  const debt = owes === null || isZero(owes) ? "" : ` It then owes ${text(owes)}, which its next credits pay.`
  return amountText(before) === amountText(after)
    ? `The organisation's balance stays ${text(before)}.${debt}`
    : `The organisation's balance: ${text(before)} now, ${text(after)} afterwards.${debt}`
}

interface DecisionButtonProps {
  readonly paymentId: string
  readonly item: OpenItem
  readonly decision: Decision
  readonly isFirst: boolean
  readonly onDone: () => void
}

const DecisionButton = ({ decision, isFirst, item: { item_id }, onDone, paymentId }: DecisionButtonProps) => {
  const { action, outcome, says } = decision
  const path = { payment_id: paymentId }
  const about = item_id === null ? {} : { item_id }
  const balance = balanceText(decision)
  return (
    <ActionButton
      name={withProviderName(says)}
      title="Decide"
      kind={isFirst ? "primary" : outcome === "failed" ? "danger" : "plain"}
      says={
        <>
          <p>
            <strong>{withProviderName(says)}.</strong>
          </p>
          {balance !== undefined && <p>{balance}</p>}
          <p>
            {action === "give_back"
              ? "Doing it again never sends it twice."
              : "Look it up at the provider first: this cannot be undone."}
          </p>
        </>
      }
      submit={action === "give_back" ? "Give it back" : `Settle as ${outcome}`}
      done={action === "give_back" ? "Given back" : `Settled as ${outcome}`}
      onDone={onDone}
      act={({ reason = "" }, key) =>
        outcome === null
          ? call("resolutions", "giveBack", { path, payload: { reason, ...about } }, { key })
          : call("resolutions", "resolve", { path, payload: { outcome, reason, ...about } }, { key })
      }
    >
      <Reason />
    </ActionButton>
  )
}

interface ManualDecisionsProps {
  readonly paymentId: string
  /** The item that is decided; absent: all of the payment, each with its own decisions. */
  readonly itemId?: string
  /** When the payment last changed. */
  readonly asOf?: string
  readonly onDone: () => void
}

/** Decisions that only a person can take, after a look into the provider's own books. */
export const ManualDecisions = ({ asOf, itemId, onDone, paymentId }: ManualDecisionsProps) => {
  const loaded = useLoad(
    (signal) => call("resolutions", "decisions", { path: { payment_id: paymentId } }, { signal }),
    [paymentId, itemId, asOf]
  )
  const decided = () => {
    loaded.reload()
    onDone()
  }
  return (
    <Loading loaded={loaded} lines={1}>
      {({ data }) => {
        const items = data.items.filter(({ item_id }) => itemId === undefined || item_id === itemId)
        return (
          <>
            {items.map((item) => (
              <div key={item.item_id ?? item.kind} class="actions decisions">
                {items.length > 1 && <p class="muted">{detailText(item.detail, providerNames)}</p>}
                {item.decisions.map((decision, nth) => (
                  <DecisionButton
                    key={decision.says}
                    paymentId={paymentId}
                    item={item}
                    decision={decision}
                    isFirst={nth === 0}
                    onDone={decided}
                  />
                ))}
              </div>
            ))}
          </>
        )
      }}
    </Loading>
  )
}

interface ReviewActionsProps {
  readonly paymentId: string
  readonly onDone: () => void
}

/** Neither can be done by whoever initiated the payment. */
export const ReviewActions = ({ onDone, paymentId }: ReviewActionsProps) => {
  const path = { payment_id: paymentId }
  return (
    <>
      <ActionButton
        name="Approve"
        title="Approve this payment"
        kind="primary"
        says="Sends the payment on its way: its provider is asked at once. Whoever initiated it cannot approve it."
        submit="Approve"
        done="Payment approved"
        onDone={onDone}
        act={({ accept_rate = "" }, key) => {
          const rate = parseAmount(accept_rate)
          const payload = { action: "review" as const, ...(rate === undefined ? {} : { accept_rate: rate }) }
          return call("paymentsInit", "action", { path, payload }, { key })
        }}
      >
        <Field
          name="accept_rate"
          label="New rate"
          inputMode="decimal"
          required={false}
          hint="Only where the payment's own rate has run out: the refusal then names the one to accept."
        />
      </ActionButton>
      <ActionButton
        name="Reject"
        title="Reject this payment"
        kind="danger"
        says="Turns the payment away for good. What is held for it goes back to the balance."
        submit="Reject the payment"
        done="Payment rejected"
        onDone={onDone}
        act={({ reason = "" }, key) =>
          call("paymentsInit", "action", { path, payload: { action: "reject", reason } }, { key })
        }
      >
        <Field name="reason" label="Reason" required />
      </ActionButton>
    </>
  )
}

interface PaymentActionsProps {
  readonly payment: Payment
  readonly items: ReadonlyArray<TimelineItem>
  readonly onDone: () => void
}

type Payload = Request<"paymentsInit", "action">["payload"]

export const act = (payment_id: string, payload: Payload, key: string) =>
  call("paymentsInit", "action", { path: { payment_id }, payload }, { key })

const Refund = ({ onDone, payment }: Omit<PaymentActionsProps, "items">) => {
  const left = minus(payment.amount, payment.refunded_amount)
  if (payment.direction !== "inbound" || payment.status !== "completed" || isZero(left) || !hasAccess("refunds"))
    return null
  return (
    <ActionButton
      name="Refund"
      title="Refund this payment"
      kind="primary"
      says={`Gives money back to the payer through the provider that took it, and takes it from your balance. Fees are not given back. At most ${amountText(left)} ${payment.currency} are left.`}
      submit="Refund"
      done="Refund asked for"
      onDone={onDone}
      act={({ amount = "", reason = "" }, key) =>
        act(
          payment.payment_id,
          { action: "refund", amount: requireAmount(amount), ...(reason === "" ? {} : { reason }) },
          key
        )
      }
    >
      <Field
        name="amount"
        label={`Amount in ${payment.currency}`}
        inputMode="decimal"
        value={inputText(left)}
        required
      />
      <Field name="reason" label="Reason" required={false} />
    </ActionButton>
  )
}

const cancelable = ["initiated", "reviewed", "confirmed", "pending", "processing"]

const Cancel = ({ onDone, payment }: Omit<PaymentActionsProps, "items">) =>
  !cancelable.includes(payment.status) ? null : (
    <ActionButton
      name="Cancel"
      title="Cancel this payment"
      kind="danger"
      says="Calls the payment off. Where a provider has it already, it must agree: if it does not, nothing changes."
      submit="Cancel the payment"
      done="Payment canceled"
      onDone={onDone}
      act={({ reason = "" }, key) =>
        act(payment.payment_id, { action: "cancel", ...(reason === "" ? {} : { reason }) }, key)
      }
    >
      <Field name="reason" label="Reason" required={false} />
    </ActionButton>
  )

const hasOpenItem = (items: ReadonlyArray<TimelineItem>, kind: string): boolean =>
  items.some((item) => item.kind === "operator" && item.closed_at === null && item.item === kind)

/** What the payment's state and the reader's role both allow, and nothing else. */
export const PaymentActions = ({ items, onDone, payment }: PaymentActionsProps) => {
  const { payment_id, provider, status } = payment
  const isUnsettled = status === "processing" || status === "pending"
  // Of a ramp: its payout may wait to be sent, and can be stopped.
  const maybeDecided = isUnsettled && (provider === "manual" || payment.direction === "external")
  return (
    <>
      {hasOpenItem(items, "review") && hasAccess("reviews") && <ReviewActions paymentId={payment_id} onDone={onDone} />}
      {hasAccess("platform") &&
        (maybeDecided || hasOpenItem(items, "unknown_outcome") || hasOpenItem(items, "suspense")) && (
          <ManualDecisions paymentId={payment_id} asOf={payment.updated_at} onDone={onDone} />
        )}
      <Refund payment={payment} onDone={onDone} />
      <Cancel payment={payment} onDone={onDone} />
    </>
  )
}
