import type { BoundCall } from "../../api/ConsoleApi.ts"
import { Badge, toneOf } from "../../components/Badge.tsx"
import { Card, Page } from "../../components/PageFrame.tsx"
import { LoadedPage } from "../../components/Loading.tsx"
import { CopyableId, Money, Time, DetailList, Json } from "../../components/Values.tsx"
import { useLoad } from "../../state/LoadHooks.ts"
import {
  labelOf,
  askedProvider,
  exactTime,
  asSentence,
  durationText,
  detailText,
  shortId
} from "../../state/Display.ts"
import { partyOf, type Payment, textField } from "./PaymentTable.tsx"
import { PaymentActions } from "./PaymentActionButtons.tsx"
import { TimelineChart, type TimelineItem } from "./PaymentTimeline.tsx"
import { providerName, providerNames } from "../providers/ProviderNames.ts"
import { Table } from "../../components/DataTable.tsx"
import { amountText, isZero, isNegative } from "../../api/Amount.ts"
import { Icon } from "../../components/Button.tsx"
import type { ComponentChildren } from "preact"
import { linkTo } from "../../state/HashRouter.ts"
import { hasAccess } from "../../state/ConsoleSession.ts"
import { isolatedName } from "../../../domain/IsolatedName.ts"
import { isFinal } from "../../../domain/PaymentStatus.ts"

interface Step {
  readonly tone: string
  readonly title: ComponentChildren
  readonly words?: ComponentChildren
}

const nextProvider = (items: ReadonlyArray<TimelineItem>, index: number): string => {
  const next = items.slice(index + 1).find(({ kind }) => kind === "attempt")
  return next?.kind === "attempt" && next.leg !== "refund" ? ` ${providerName(next.provider)} was tried next.` : ""
}

const stepOf = (item: TimelineItem, items: ReadonlyArray<TimelineItem>, index: number): Step => {
  switch (item.kind) {
    case "status":
      return { tone: toneOf(item.to), title: labelOf(item.to), words: asSentence(item.cause) }
    case "attempt": {
      const { amount, currency, latency_ms, leg, outcome, provider, reason } = item
      const what = leg === "refund" && amount !== null ? `refund of ${amountText(amount)} ${currency}` : "request"
      const after = latency_ms === null ? "" : ` after ${durationText(latency_ms)}`
      const moved = outcome === "declined" ? nextProvider(items, index) : ""
      return {
        tone: toneOf(outcome ?? "pending"),
        title: `${providerName(provider)} ${what}: ${outcome === null ? "no answer yet" : outcome}${after}`,
        words: reason === null ? undefined : `${asSentence(reason)}${moved}`
      }
    }
    case "callback":
      return {
        tone: "busy",
        title: `${providerName(item.provider)} callback: ${item.report}`,
        words: asSentence(item.effect)
      }
    case "operator":
      return {
        tone: item.closed_at === null ? "warn" : "calm",
        title: labelOf(item.item),
        words: `${detailText(item.detail, providerNames)}${item.closed_by === null ? "" : ` Closed by ${isolatedName(item.closed_by)}.`}`
      }
    case "movement":
      return {
        tone: item.movement === "reversal" ? "bad" : toneOf(item.state === "settled" ? "completed" : item.state),
        title: `${labelOf(item.movement)} of ${amountText(item.amount)} ${item.currency} at ${providerName(item.provider)}: ${item.state}`,
        words: <code>{item.movement_id}</code>
      }
    case "allocation":
      return {
        tone: "calm",
        title: `${amountText(item.amount)} ${item.currency} ${isNegative(item.amount) ? "charged to" : "credited to"} the organisation`,
        words: `${asSentence(item.note)}${item.by === null ? "" : ` By ${isolatedName(item.by)}.`}`
      }
    case "reserve":
      return {
        tone: "calm",
        title: `${amountText(item.amount)} ${item.currency} ${item.change === "held" ? "held in reserve" : "released from the reserve"}`,
        words: item.change === "held" ? `Until ${exactTime(item.release_at)}.` : undefined
      }
    case "delivery":
      return {
        tone: toneOf(item.status),
        title: (
          <a href={linkTo(`webhooks/deliveries/${item.delivery_id}`)}>
            <code>{item.event_type}</code>
          </a>
        ),
        words: `Webhook ${item.status}${item.attempts > 1 ? ` at attempt ${item.attempts}` : ""}${item.last_error === null ? "" : `: ${item.last_error}`}`
      }
  }
}

const PaymentSteps = ({ items }: { readonly items: ReadonlyArray<TimelineItem> }) => {
  const start = Date.parse(items[0]?.at ?? "")
  return (
    <ol class="steps">
      {items.map((item, index) => {
        const { title, tone, words } = stepOf(item, items, index)
        return (
          <li key={index} class={tone}>
            <time dateTime={item.at} title={exactTime(item.at)}>
              {index === 0
                ? "Start"
                : item.at === items[index - 1]?.at
                  ? ""
                  : `+${durationText(Date.parse(item.at) - start)}`}
            </time>
            <div>
              <p class="step-title">{title}</p>
              {words !== undefined && <p class="muted">{words}</p>}
            </div>
          </li>
        )
      })}
    </ol>
  )
}

const optionalId = (id: string | null, what: string) => (id === null ? null : <CopyableId id={id} what={what} />)

const PaymentDetails = ({ payment }: { readonly payment: Payment }) => {
  const { currency, metadata, payer_details, recipient_info, target_amount, target_currency, total_fees } = payment
  const crosses = target_amount !== null && target_currency !== currency
  const [phone, wallet] = [textField(payer_details, "phone"), textField(payment.mobile_money_details, "phone_number")]
  return (
    <Card title="Details">
      <DetailList
        facts={[
          ["Transaction", optionalId(payment.transaction_id, "the transaction's id")],
          ["Reference", payment.client_reference],
          ["Description", payment.description],
          ["Converted to", crosses && <Money amount={target_amount} currency={target_currency} />],
          [
            "Fees",
            total_fees !== null && (
              <Money amount={total_fees} currency={payment.direction === "inbound" ? target_currency : currency} />
            )
          ],
          ["Country", payment.country],
          ["Provider", askedProvider(payment, providerName).name],
          ["Provider's id", optionalId(payment.provider_payment_id, "the provider's id")],
          ["Provider's status", payment.provider_status],
          ["Payer", textField(payer_details, "name")],
          ["E-mail", textField(payer_details, "email")],
          ["Phone", phone || wallet],
          ["Wallet", phone !== "" && wallet !== phone && wallet],
          ["Network", textField(payment.mobile_money_details, "provider")],
          [
            "Card",
            textField(payment.card_details, "last4") !== "" && `•••• ${textField(payment.card_details, "last4")}`
          ],
          ["Account", textField(payment.bank_account, "account_number")],
          ["Beneficiary", [textField(recipient_info, "fname"), textField(recipient_info, "lname")].join(" ").trim()],
          ["Instructions", payment.instructions],
          ["Organisation", optionalId(payment.org_id, "the organisation's id")]
        ]}
      />
      {Object.keys(metadata).length > 0 && (
        <>
          <h3>Metadata</h3>
          <Json name="Metadata" value={metadata} />
        </>
      )}
    </Card>
  )
}

interface Location {
  readonly tone: "good" | "busy" | "warn" | "calm"
  readonly title: string
  readonly words: string
}

const amountWithCurrency = ({ amount, currency }: Payment): string => `${amountText(amount)} ${currency}`

const received = ({ target_amount, target_currency, ...payment }: Payment): string =>
  target_amount === null ? amountWithCurrency(payment as Payment) : `${amountText(target_amount)} ${target_currency}`

const feesText = ({ total_fees }: Payment): string =>
  total_fees === null || isZero(total_fees) ? "" : `, less ${amountText(total_fees)} in fees`

const atProvider = ({ provider }: Payment): string => (provider === null ? "a provider" : providerName(provider))

const inbound = (payment: Payment): Location => {
  const { refunded_amount, refunds, status } = payment
  if (status === "completed") {
    const credited = isZero(refunded_amount) ? "are on your balance" : "were credited to your balance"
    const back = isZero(refunded_amount)
      ? ""
      : ` Of these, ${amountText(refunded_amount)} ${payment.currency} were refunded.`
    return { tone: "good", title: "Collected", words: `${received(payment)} ${credited}${feesText(payment)}.${back}` }
  }
  if (status === "refunded") {
    return refunds.some(({ state }) => state === "completed")
      ? { tone: "calm", title: "Refunded", words: `${amountWithCurrency(payment)} were refunded in full.` }
      : {
          tone: "warn",
          title: "Taken back",
          words: `The provider returned ${amountWithCurrency(payment)} to the payer.`
        }
  }
  if (status === "pending" || status === "processing") {
    return {
      tone: "busy",
      title: "Not collected yet",
      words: `${atProvider(payment)} has not confirmed that ${amountWithCurrency(payment)} arrived.`
    }
  }
  return notStarted(payment, "Nothing was collected")
}

const outbound = (payment: Payment): Location => {
  switch (payment.status) {
    case "completed":
      return {
        tone: "good",
        title: "Paid out",
        words: `${received(payment)} were paid out${feesText(payment)}.`
      }
    case "refunded":
      return { tone: "calm", title: "Back on your balance", words: "The provider returned the payout." }
    case "pending":
    case "processing":
      return {
        tone: "busy",
        title: "Held",
        words: `${amountWithCurrency(payment)} are held until ${atProvider(payment)} confirms the payout.`
      }
    default:
      return notStarted(payment, "Back on your balance")
  }
}

const external = (payment: Payment): Location => {
  const { status } = payment
  if (status === "completed")
    return { tone: "good", title: "Settled", words: `${received(payment)} reached their destination.` }
  if (status === "failed") {
    return { tone: "warn", title: "Not settled", words: "Any collected amount is held on the ledger." }
  }
  if (status === "refunded") {
    return isZero(payment.refunded_amount)
      ? { tone: "warn", title: "Payout sent back", words: "The collected amount is held until an operator decides." }
      : {
          tone: "calm",
          title: "Returned",
          words: `${amountText(payment.refunded_amount)} ${payment.currency} were returned to the payer.`
        }
  }
  return status === "pending" || status === "processing"
    ? { tone: "busy", title: "In progress", words: "The collection comes first, then the payout." }
    : notStarted(payment, "No money moved")
}

/** Payments that were not sent, or ended before money moved. */
const notStarted = ({ failure, status }: Payment, title: string): Location =>
  status === "failed" || status === "rejected" || status === "canceled"
    ? { tone: "calm", title, words: failure?.message ?? "The payment ended before any money moved." }
    : { tone: "warn", title: "Review needed", words: "The payment is sent to a provider after approval." }

const locations = { inbound, outbound, external }

const MoneyLocation = ({ payment }: { readonly payment: Payment }) => {
  const { title, tone, words } = locations[payment.direction](payment)
  return (
    <section class={`money-now ${tone}`} aria-label="Where the money is">
      <Icon name="money" />
      <div>
        <p>
          <strong>{title}.</strong> {words}
        </p>
        {payment.comments !== null && <p class="muted">{payment.comments}</p>}
      </div>
    </section>
  )
}

const Refunds = ({ payment }: { readonly payment: Payment }) => (
  <Card title="Refunds">
    <Table
      caption="Refunds"
      rows={payment.refunds}
      keyOf={({ refund_id }) => refund_id}
      columns={[
        {
          name: "State",
          show: ({ state }) => <Badge status={state} words={state === "open" ? "Pending" : undefined} />
        },
        { name: "Amount", align: "end", show: ({ amount, currency }) => <Money amount={amount} currency={currency} /> },
        {
          name: "Reason",
          below: true,
          show: ({ reason, requested_by }) => (
            <>
              {reason !== null && <p>{reason}</p>}
              {requested_by !== null && (
                <p class="muted breaks">
                  By <bdi>{requested_by}</bdi>
                </p>
              )}
            </>
          )
        },
        { name: "Requested", align: "end", show: ({ created_at }) => <Time at={created_at} /> }
      ]}
    />
  </Card>
)

const load = async (get: BoundCall, id: string) => {
  const path = { payment_id: id }
  const [payment, timeline] = await Promise.all([
    get("payments", "byId", { path }),
    get("payments", "timeline", { path })
  ])
  return { payment, items: timeline.data.items }
}

const POLL = 3000

const above = ["#/payments", "Payments"] as const

type PaymentAndTimeline = Awaited<ReturnType<typeof load>>

const PaymentContent = ({ items, payment }: PaymentAndTimeline) => {
  const party = partyOf(payment)
  return (
    <Page
      title={payment.client_reference ?? "Payment"}
      above={above}
      lead={
        <>
          <p class="headline">
            <Money amount={payment.amount} currency={payment.currency} />
            <Badge status={payment.status} />
          </p>
          <p class="muted">
            {labelOf(payment.direction)} by {labelOf(payment.payment_method).toLowerCase()}
            {party !== "" && ` · ${isolatedName(party)}`} · <Time at={payment.created_at} />
          </p>
          <p>
            <CopyableId id={payment.payment_id} what="the payment's id" whole />
          </p>
        </>
      }
      actions={<PaymentActions payment={payment} items={items} />}
    >
      <MoneyLocation payment={payment} />
      <Card title="Timeline" note="Not to scale: quiet periods are compressed.">
        <TimelineChart items={items} isFinal={isFinal(payment.status)} />
      </Card>
      <div class="columns lean-left">
        <Card
          title="Steps"
          note={
            hasAccess("audit") ? (
              <a
                href={linkTo("audit", {
                  subject_id: payment.payment_id,
                  subject: payment.client_reference ?? shortId(payment.payment_id)
                })}
              >
                Audit log
              </a>
            ) : undefined
          }
        >
          <PaymentSteps items={items} />
        </Card>
        <div class="stack">
          {payment.refunds.length > 0 && <Refunds payment={payment} />}
          <PaymentDetails payment={payment} />
        </div>
      </div>
    </Page>
  )
}

export const PaymentPage = ({ id }: { readonly id: string }) => {
  const loaded = useLoad((get) => load(get, id), [id], POLL)
  return (
    <LoadedPage title="Payment" above={above} loaded={loaded}>
      {(whole) => <PaymentContent {...whole} />}
    </LoadedPage>
  )
}
