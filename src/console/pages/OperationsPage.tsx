import { useState } from "preact/hooks"
import { type Answer } from "../api/ConsoleApi.ts"
import { Badge, BadgeFilter } from "../components/Badge.tsx"
import { PagedList } from "../components/Loading.tsx"
import { OrgName } from "../components/DataTable.tsx"
import { Page } from "../components/PageFrame.tsx"
import { Time, Money } from "../components/Values.tsx"
import { useLoad, useOrgPages } from "../state/LoadHooks.ts"
import { linkTo } from "../state/HashRouter.ts"
import { hasAccess } from "../state/ConsoleSession.ts"
import { providerNames } from "./providers/ProviderNames.ts"
import { ReplayDead } from "./webhooks/WebhookDeliveries.tsx"
import { SetEndpointStatus } from "./webhooks/WebhookEndpoints.tsx"
import { ManualDecisions, ReviewActions } from "./payments/PaymentActionButtons.tsx"
import { detailText, shortId } from "../state/Display.ts"
import { partyOf } from "./payments/PaymentTable.tsx"
import { Field, filled } from "../components/Form.tsx"
import { ActionButton } from "../components/Dialog.tsx"

interface Props {
  readonly escrowId: string
  readonly payoutId: string
}

/** Actions for a failed payout to an escrow party. */
const EscrowPayoutActions = ({ escrowId, payoutId }: Props) => {
  const path = { escrow_id: escrowId, payout_id: payoutId }
  return (
    <>
      <ActionButton
        name="Try again"
        title="Try this payout again"
        kind="primary"
        explanation="Sends the payout again, as a new payment. If that fails, it is listed here again with the reason."
        done="Payout is being sent"
        act={(_, send) => send("escrow", "retryPayout", { path })}
      />
      <ActionButton
        name="Resolve"
        title="Resolve this payout"
        explanation="Sends nothing more for this payout. The money stays on the party's account and can be paid out from the escrow."
        done="Payout resolved"
        act={({ reason = "" }, send) => send("escrow", "resolvePayout", { path, payload: { reason } })}
      >
        <Field name="reason" label="Reason" hint="Saved with the payout and in the audit log" required />
      </ActionButton>
    </>
  )
}

const reasonOfTransfer = (
  <Field name="reason" label="Reason" hint="Saved with the transfer and in the audit log" required />
)

/** Decisions on a transfer to virtual accounts that waits in suspense. */
const TransferActions = ({ transferId }: { readonly transferId: string }) => {
  const path = { transfer_id: transferId }
  return (
    <>
      <ActionButton
        name="Credit"
        title="Credit this transfer"
        kind="primary"
        explanation="Check with the provider first. The account or organisation gets the money; of a returned transfer, it bears it. Fill in one of both."
        done="Transfer resolved"
        act={({ reason = "", ...to }, send) =>
          send("virtualAccounts", "resolveTransfer", { path, payload: { outcome: "credited", reason, ...filled(to) } })
        }
      >
        <Field name="account_id" label="Virtual account" hint="Its id" />
        <Field name="org_id" label="Organisation" hint="Its id: the settlement balance gets it" />
        {reasonOfTransfer}
      </ActionButton>
      <ActionButton
        name="Mark as returned"
        title="Mark this transfer as returned"
        explanation="Check with the provider first. States that the provider undid the transfer: no balance changes."
        done="Transfer resolved"
        act={({ reason = "", ...named }, send) =>
          send("virtualAccounts", "resolveTransfer", {
            path,
            payload: { outcome: "returned", reason, ...filled(named) }
          })
        }
      >
        <Field name="movement_id" label="Provider's id of the return" hint="If it is known" />
        {reasonOfTransfer}
      </ActionButton>
    </>
  )
}

/** Payment of an item: reference, amount and party once loaded. */
const PaymentLine = ({ id }: { readonly id: string }) => {
  const { data } = useLoad((get) => get("payments", "byId", { path: { payment_id: id } }), [id])
  const reference = data?.client_reference ?? null
  return (
    <>
      <a href={linkTo(`payments/${id}`)} title={id}>
        {reference === null ? (
          <>
            Payment <code>{shortId(id)}</code>
          </>
        ) : (
          <strong class="reference">{reference}</strong>
        )}
      </a>
      {data !== undefined && <Money amount={data.amount} currency={data.currency} />}
      {data !== undefined && partyOf(data) !== "" && <span>{partyOf(data)}</span>}
    </>
  )
}

type QueueItem = Answer<"payments", "queue">["data"][number]

const kinds = [
  ...(["unknown_outcome", "suspense", "review", "dead_letter", "disabled_endpoint"] as const),
  ...(["escrow_payout", "incoming_transfer"] as const)
]

const forAdmins = <p class="muted">A platform admin decides this after checking with the provider.</p>

const ItemActions = ({ item }: { readonly item: QueueItem }) => {
  const { escrow_id, kind, payment_id, webhook_id } = item
  if (kind === "incoming_transfer") {
    return hasAccess("platform") ? <TransferActions transferId={item.item_id} /> : forAdmins
  }
  if (escrow_id !== null) {
    return hasAccess("escrow") ? <EscrowPayoutActions escrowId={escrow_id} payoutId={item.item_id} /> : null
  }
  if (payment_id !== null) {
    if (kind === "review") return hasAccess("reviews") ? <ReviewActions paymentId={payment_id} /> : null
    if (!hasAccess("platform")) return forAdmins
    return <ManualDecisions paymentId={payment_id} itemId={item.item_id} />
  }
  if (webhook_id === null || !hasAccess("webhooks")) return null
  return kind === "dead_letter" ? (
    <ReplayDead webhookId={webhook_id} count={item.dead_letters ?? 0} />
  ) : (
    <SetEndpointStatus webhookId={webhook_id} status="active" />
  )
}

const subjectOf = ({ escrow_id, kind, payment_id, webhook_id }: QueueItem) =>
  kind === "incoming_transfer" ? (
    <a href={linkTo("accounts")}>Virtual accounts</a>
  ) : escrow_id !== null ? (
    <a href={linkTo(`escrow/${escrow_id}`)}>Escrow</a>
  ) : payment_id === null ? (
    <a href={linkTo("webhooks/deliveries", { webhook_id: webhook_id ?? "" })}>Deliveries</a>
  ) : (
    <PaymentLine id={payment_id} />
  )

export const OperationsPage = () => {
  const [kind, setKind] = useState<string>()
  const list = useOrgPages("payments", "queue")
  const there = kinds.filter((one) => list.items?.some((item) => item.kind === one))
  return (
    <Page title="Operations" lead="Items that need a decision, newest first.">
      {there.length > 1 && <BadgeFilter label="Kinds" options={[undefined, ...there]} chosen={kind} choose={setKind} />}
      <PagedList
        list={list}
        empty={[
          "check",
          "No open items",
          "Unknown outcomes, money in suspense, reviews, failing webhooks and failed escrow payouts appear here."
        ]}
      >
        {(items) => (
          <ul class="queue">
            {items
              .filter((item) => kind === undefined || item.kind === kind)
              .map((item) => (
                <li key={item.item_id} class="card">
                  <p class="queue-head">
                    <Badge status={item.kind} />
                    {subjectOf(item)}
                    {item.org_id !== null && <OrgName id={item.org_id} />}
                    <span class="muted">
                      <Time at={item.created_at} relative />
                    </span>
                  </p>
                  <p>{detailText(item.detail, providerNames)}</p>
                  <div class="actions">
                    <ItemActions item={item} />
                  </div>
                </li>
              ))}
          </ul>
        )}
      </PagedList>
    </Page>
  )
}
