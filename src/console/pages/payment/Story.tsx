import type { ComponentChildren } from "preact"
import { amountText, isNegative } from "../../api/Amount.ts"
import { toneOf } from "../../parts/Badge.tsx"
import { linkTo } from "../../state/Router.ts"
import { exactTime, nameOf, sentence, span } from "../../state/Words.ts"
import { providerName, providerNames } from "../providers/Names.ts"
import { detailText } from "../queue/DetailText.ts"
import type { Item } from "./Timeline.ts"

interface Told {
  readonly tone: string
  readonly title: ComponentChildren
  readonly words?: ComponentChildren
}

const movedOn = (items: ReadonlyArray<Item>, index: number): string => {
  const next = items.slice(index + 1).find(({ kind }) => kind === "attempt")
  return next?.kind === "attempt" && next.leg !== "refund" ? ` So ${providerName(next.provider)} was asked next.` : ""
}

const told = (item: Item, items: ReadonlyArray<Item>, index: number): Told => {
  switch (item.kind) {
    case "status":
      return { tone: toneOf(item.to), title: nameOf(item.to), words: sentence(item.cause) }
    case "attempt": {
      const { amount, currency, latency_ms, leg, outcome, provider, reason } = item
      const what =
        leg === "refund" && amount !== null ? `asked to give back ${amountText(amount)} ${currency}` : "asked"
      const after = latency_ms === null ? "" : ` after ${span(latency_ms)}`
      const moved = outcome === "declined" ? movedOn(items, index) : ""
      return {
        tone: toneOf(outcome ?? "pending"),
        title: `${providerName(provider)} ${what}: ${outcome === null ? "no answer yet" : outcome}${after}`,
        words: reason === null ? undefined : `${sentence(reason)}${moved}`
      }
    }
    case "callback":
      return {
        tone: "busy",
        title: `${providerName(item.provider)} says: ${item.report}`,
        words: sentence(item.effect)
      }
    case "operator":
      return {
        tone: item.closed_at === null ? "warn" : "calm",
        title: nameOf(item.item),
        words: `${detailText(item.detail, providerNames)}${item.closed_by === null ? "" : ` Closed by ${item.closed_by}.`}`
      }
    case "movement":
      return {
        tone: toneOf(item.state === "settled" ? "completed" : item.state),
        title: `${nameOf(item.movement)} of ${amountText(item.amount)} ${item.currency} at ${providerName(item.provider)}: ${item.state}`,
        words: <code>{item.movement_id}</code>
      }
    case "allocation":
      return {
        tone: "calm",
        title: `${amountText(item.amount)} ${item.currency} ${isNegative(item.amount) ? "borne by" : "to"} the organisation`,
        words: `${sentence(item.note)}${item.by === null ? "" : ` By ${item.by}.`}`
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

export const Story = ({ items }: { readonly items: ReadonlyArray<Item> }) => {
  const start = Date.parse(items[0]?.at ?? "")
  return (
    <ol class="story">
      {items.map((item, index) => {
        const { title, tone, words } = told(item, items, index)
        return (
          <li key={index} class={tone}>
            <time dateTime={item.at} title={exactTime(item.at)}>
              {index === 0 ? "Start" : item.at === items[index - 1]?.at ? "" : `+${span(Date.parse(item.at) - start)}`}
            </time>
            <div>
              <p class="story-title">{title}</p>
              {words !== undefined && <p class="muted">{words}</p>}
            </div>
          </li>
        )
      })}
    </ol>
  )
}
