import type { ComponentChildren } from "preact"
import { amountText, isNegative } from "../../api/Amount.ts"
import { toneOf } from "../../components/Badge.tsx"
import { linkTo } from "../../state/HashRouter.ts"
import { exactTime, labelOf, asSentence, durationText, detailText } from "../../state/Display.ts"
import { providerName, providerNames } from "../providers/ProviderNames.ts"
import type { TimelineItem } from "./PaymentTimeline.tsx"

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
        words: `${detailText(item.detail, providerNames)}${item.closed_by === null ? "" : ` Closed by ${item.closed_by}.`}`
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
        words: `${asSentence(item.note)}${item.by === null ? "" : ` By ${item.by}.`}`
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

export const PaymentSteps = ({ items }: { readonly items: ReadonlyArray<TimelineItem> }) => {
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
