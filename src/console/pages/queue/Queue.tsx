import { useState } from "preact/hooks"
import { type Answer, call } from "../../api/Api.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Listing } from "../../parts/Listing.tsx"
import { OrgOf } from "../../parts/OrgColumn.tsx"
import { Page } from "../../parts/Page.tsx"
import { Time } from "../../parts/Time.tsx"
import { usePages } from "../../state/Pages.ts"
import { linkTo } from "../../state/Router.ts"
import { may, ofOrg, orgId } from "../../state/Session.ts"
import { providerNames } from "../providers/Names.ts"
import { ReplayDead } from "../webhooks/ReplayDead.tsx"
import { SetStatus } from "../webhooks/SetStatus.tsx"
import { Decide } from "./Decide.tsx"
import { detailText } from "./DetailText.ts"
import { EscrowPayout } from "./EscrowPayout.tsx"
import { PaymentLine } from "./PaymentLine.tsx"
import { Review } from "./Review.tsx"

type QueueItem = Answer<"payments", "queue">["data"][number]

const kinds = ["unknown_outcome", "suspense", "review", "dead_letter", "disabled_endpoint", "escrow_payout"] as const

const forAdmins = <p class="muted">A platform admin decides this, after a look into the provider's books.</p>

const Decision = ({ item, onDone }: { readonly item: QueueItem; readonly onDone: () => void }) => {
  const { escrow_id, kind, payment_id, webhook_id } = item
  if (escrow_id !== null) {
    return may("escrow") ? <EscrowPayout escrowId={escrow_id} payoutId={item.item_id} onDone={onDone} /> : null
  }
  if (payment_id !== null) {
    if (kind === "review") return may("reviews") ? <Review paymentId={payment_id} onDone={onDone} /> : null
    if (!may("platform")) return forAdmins
    return <Decide paymentId={payment_id} itemId={item.item_id} onDone={onDone} />
  }
  if (webhook_id === null || !may("webhooks")) return null
  return kind === "dead_letter" ? (
    <ReplayDead webhookId={webhook_id} count={item.dead_letters ?? 0} onDone={onDone} />
  ) : (
    <SetStatus webhookId={webhook_id} status="active" onDone={onDone} />
  )
}

const subjectOf = ({ escrow_id, payment_id, webhook_id }: QueueItem) =>
  escrow_id !== null ? (
    <a href={linkTo(`escrow/${escrow_id}`)}>Its escrow</a>
  ) : payment_id === null ? (
    <a href={linkTo("webhooks/deliveries", { webhook_id: webhook_id ?? "" })}>Its deliveries</a>
  ) : (
    <PaymentLine id={payment_id} />
  )

/** Each payment of a page is asked for by itself. */
const PAGE = 25

export const Queue = () => {
  const [kind, setKind] = useState<string>()
  const list = usePages(
    (cursor, signal) =>
      call("payments", "queue", { urlParams: { ...ofOrg(), limit: PAGE, last_evaluated_key: cursor } }, { signal }),
    [orgId.value]
  )
  const there = kinds.filter((one) => list.items?.some((item) => item.kind === one))
  return (
    <Page title="Operations" lead="What no machine can decide, newest first.">
      {there.length > 1 && (
        <div class="views" role="group" aria-label="Kinds">
          {[undefined, ...there].map((one) => (
            <button key={one ?? ""} class="chip" type="button" aria-pressed={kind === one} onClick={() => setKind(one)}>
              {one === undefined ? "All" : <Badge status={one} />}
            </button>
          ))}
        </div>
      )}
      <Listing
        list={list}
        empty={
          <Empty icon="check" title="Nothing waits for a person">
            Unknown outcomes, money in suspense, reviews, failing webhooks and escrow payouts that were not made come
            here.
          </Empty>
        }
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
                    <OrgOf id={item.org_id} />
                    <span class="muted">
                      <Time at={item.created_at} relative />
                    </span>
                  </p>
                  <p>{detailText(item.detail, providerNames)}</p>
                  <div class="actions">
                    <Decision item={item} onDone={list.reload} />
                  </div>
                </li>
              ))}
          </ul>
        )}
      </Listing>
    </Page>
  )
}
