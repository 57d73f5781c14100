/** Items that need a decision, from payments, webhooks and features above payments, as one list. */
import { Context, Order } from "effect"
import type { OperatorItem as WireItem } from "../../contract/api/Payments.ts"
import { deadLettersCounted } from "../../domain/policies/Webhooks.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope } from "../../platform/database/Query.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { Trouble } from "../../webhooks/WebhookIssues.ts"
import type { OpenItem } from "../store/Payment.ts"

type Item = typeof WireItem.Type

/** An item of a feature above payments. */
export type OtherItem = Pick<Item, "item_id" | "kind" | "org_id" | "escrow_id" | "party_id" | "detail" | "created_at">

/** Newest first, from the window's position. */
export type OtherItemsOf = (scope: Scope, window: Window) => Stored<ReadonlyArray<OtherItem>>

export class OtherItems extends Context.Tag("corridor/OtherItems")<OtherItems, OtherItemsOf>() {}

const noEscrow = { escrow_id: null, party_id: null }

const ofPayment = ({ attempt_id, detail, item_id, kind, opened_at, org_id, payment_id }: OpenItem): Item => ({
  item_id,
  kind,
  org_id,
  payment_id,
  attempt_id,
  webhook_id: null,
  delivery_id: null,
  dead_letters: null,
  ...noEscrow,
  detail,
  created_at: opened_at
})

const ofOther = (item: OtherItem): Item => ({
  ...item,
  payment_id: null,
  attempt_id: null,
  webhook_id: null,
  delivery_id: null,
  dead_letters: null
})

const wordsOf = ({ dead_letters, endpoint_url, kind, reason }: Trouble): string => {
  if (kind === "disabled_endpoint") return `${endpoint_url} is disabled. ${reason ?? "Its owner did it."}`
  const atLeast = dead_letters === deadLettersCounted ? " or more" : ""
  const many = dead_letters === 1 ? "1 delivery" : `${dead_letters}${atLeast} deliveries`
  return `${many} to ${endpoint_url} failed for good; of the oldest: ${reason ?? "no reason is known"}.`
}

const ofWebhook = (trouble: Trouble): Item => {
  const { created_at, dead_letters, delivery_id, item_id, kind, org_id, webhook_id } = trouble
  const about = { item_id, kind, org_id, payment_id: null, attempt_id: null, webhook_id, delivery_id, dead_letters }
  return { ...about, ...noEscrow, detail: wordsOf(trouble), created_at }
}

const newestFirst = Order.reverse(
  Order.combine(
    Order.mapInput(Order.Date, (item: Item) => item.created_at),
    Order.mapInput(Order.string, (item: Item) => item.item_id)
  )
)

/** All are in the same order and begin after the same position, so the first of each are the first of all. */
export const queueOf = (
  items: ReadonlyArray<OpenItem>,
  troubles: ReadonlyArray<Trouble>,
  others: ReadonlyArray<OtherItem>,
  take: number
): ReadonlyArray<Item> =>
  [...items.map(ofPayment), ...troubles.map(ofWebhook), ...others.map(ofOther)].toSorted(newestFirst).slice(0, take)
