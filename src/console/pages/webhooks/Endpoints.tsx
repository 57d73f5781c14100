import { call } from "../../api/Api.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Listing } from "../../parts/Listing.tsx"
import { OrgOf } from "../../parts/OrgColumn.tsx"
import { Time } from "../../parts/Time.tsx"
import { usePages } from "../../state/Pages.ts"
import { linkTo } from "../../state/Router.ts"
import { may, ofOrg, orgId } from "../../state/Session.ts"
import { changed, changes } from "./Changes.ts"
import { ChangeEvents } from "./ChangeEvents.tsx"
import { RemoveEndpoint } from "./RemoveEndpoint.tsx"
import { RotateSecret } from "./RotateSecret.tsx"
import { SetStatus } from "./SetStatus.tsx"
import type { Endpoint } from "./Endpoint.ts"

const Row = ({ endpoint }: { readonly endpoint: Endpoint }) => (
  <li class="card">
    <p class="queue-head">
      <Badge status={endpoint.status} />
      <code class="address">{endpoint.endpoint_url}</code>
      <OrgOf id={endpoint.org_id} />
    </p>
    <p class="muted">
      {endpoint.events.includes("*") ? "All events" : endpoint.events.join(", ")} · since{" "}
      <Time at={endpoint.created_at} />
      {may("webhook_log") && (
        <>
          {" · "}
          <a href={linkTo("webhooks/deliveries", { webhook_id: endpoint.webhook_id })}>Deliveries</a>
        </>
      )}
    </p>
    {endpoint.disabled_reason !== null && <p class="note">{endpoint.disabled_reason}</p>}
    {may("webhooks") && (
      <div class="actions">
        <ChangeEvents endpoint={endpoint} onDone={changed} />
        <RotateSecret endpoint={endpoint} />
        <SetStatus
          webhookId={endpoint.webhook_id}
          status={endpoint.status === "active" ? "disabled" : "active"}
          onDone={changed}
        />
        <RemoveEndpoint endpoint={endpoint} onDone={changed} />
      </div>
    )}
  </li>
)

export const Endpoints = () => {
  const list = usePages(
    (cursor, signal) =>
      call("webhooks", "list", { urlParams: { ...ofOrg(), limit: 50, last_evaluated_key: cursor } }, { signal }),
    [orgId.value, changes.value]
  )
  return (
    <Listing
      list={list}
      empty={
        <Empty icon="webhooks" title="No endpoints">
          Add the address of your server, and it is told whenever a payment changes.
        </Empty>
      }
    >
      {(items) => (
        <ul class="queue">
          {items.map((endpoint) => (
            <Row key={endpoint.webhook_id} endpoint={endpoint} />
          ))}
        </ul>
      )}
    </Listing>
  )
}
