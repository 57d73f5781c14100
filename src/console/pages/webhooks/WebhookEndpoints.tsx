import { call, type Answer } from "../../api/ConsoleApi.ts"
import { Badge } from "../../components/Badge.tsx"
import { EmptyState, PagedList } from "../../components/Loading.tsx"
import { OrgName } from "../../components/DataTable.tsx"
import { Time } from "../../components/Values.tsx"
import { usePages } from "../../state/LoadHooks.ts"
import { linkTo } from "../../state/HashRouter.ts"
import { hasAccess, orgFilter, orgId } from "../../state/ConsoleSession.ts"
import { useState } from "preact/hooks"
import { Field } from "../../components/Form.tsx"
import { SecretDialog, ActionButton } from "../../components/Dialog.tsx"
import { eventsHint, eventTypesIn } from "../../state/TypedInput.ts"
import { signal } from "@preact/signals"

/** Incremented when an endpoint changes, so that the list loads again. */
export const endpointsVersion = signal(0)

export const endpointsChanged = (): void => {
  endpointsVersion.value += 1
}

export type Endpoint = Answer<"webhooks", "list">["data"][number]

export const ChangeEvents = ({ endpoint, onDone }: { readonly endpoint: Endpoint; readonly onDone: () => void }) => (
  <ActionButton
    name="Change"
    title="Change the endpoint"
    explanation="Pending deliveries go to the new address too. Unsubscribed events are no longer sent."
    submit="Save"
    done="Endpoint changed"
    onDone={onDone}
    act={({ endpoint_url = "", events = "" }, key) =>
      call(
        "webhooks",
        "update",
        { path: { webhook_id: endpoint.webhook_id }, payload: { endpoint_url, events: eventTypesIn(events) } },
        { key }
      )
    }
  >
    <Field name="endpoint_url" label="Address" kind="url" value={endpoint.endpoint_url} required />
    <Field name="events" label="Events" kind="area" value={endpoint.events.join("\n")} hint={eventsHint} required />
  </ActionButton>
)

export const RemoveEndpoint = ({ endpoint, onDone }: { readonly endpoint: Endpoint; readonly onDone: () => void }) => (
  <ActionButton
    name="Remove"
    title="Remove the endpoint"
    kind="danger"
    explanation={`${endpoint.endpoint_url} receives nothing more. Its deliveries are deleted, including pending ones.`}
    submit="Remove the endpoint"
    done="Endpoint removed"
    onDone={onDone}
    act={(_, key) => call("webhooks", "remove", { path: { webhook_id: endpoint.webhook_id } }, { key })}
  />
)

export const RotateSecret = ({ endpoint }: { readonly endpoint: Endpoint }) => {
  const [secret, setSecret] = useState<string>()
  return (
    <>
      <ActionButton
        name="New secret"
        title="Replace the signing secret"
        kind="danger"
        explanation="Creates a new signing secret. For 24 hours deliveries carry both signatures, unless you revoke the old secret now."
        submit="Replace the secret"
        done="Secret replaced"
        act={async ({ when }, key) => {
          const path = { webhook_id: endpoint.webhook_id }
          const payload = { immediate: when === "now" }
          setSecret((await call("webhooks", "rotateSecret", { path, payload }, { key })).data.secret_key)
        }}
      >
        <Field
          name="when"
          label="The old secret"
          options={[
            ["later", "Valid for 24 more hours"],
            ["now", "Revoked now"]
          ]}
        />
      </ActionButton>
      {secret !== undefined && (
        <SecretDialog
          title="The new signing secret"
          explanation="Store it now: it is not shown again."
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  )
}

interface SetEndpointStatusProps {
  readonly webhookId: string
  readonly status: "active" | "disabled"
  readonly onDone: () => void
}

export const SetEndpointStatus = ({ onDone, status, webhookId }: SetEndpointStatusProps) => {
  const enables = status === "active"
  return (
    <ActionButton
      name={enables ? "Enable" : "Disable"}
      title={enables ? "Enable the endpoint" : "Disable the endpoint"}
      kind={enables ? "plain" : "danger"}
      explanation={
        enables
          ? "Resumes sending, including pending deliveries. Events of the time in between are not sent."
          : "Stops sending until it is enabled again. Pending deliveries stay; new events are not kept for it."
      }
      submit={enables ? "Enable" : "Disable"}
      done={enables ? "Endpoint enabled" : "Endpoint disabled"}
      onDone={onDone}
      act={(_, key) => call("webhooks", "update", { path: { webhook_id: webhookId }, payload: { status } }, { key })}
    />
  )
}

const Row = ({ endpoint }: { readonly endpoint: Endpoint }) => (
  <li class="card">
    <p class="queue-head">
      <Badge status={endpoint.status} />
      <code class="address">{endpoint.endpoint_url}</code>
      <OrgName id={endpoint.org_id} />
    </p>
    <p class="muted">
      {endpoint.events.includes("*") ? "All events" : endpoint.events.join(", ")} · since{" "}
      <Time at={endpoint.created_at} />
      {hasAccess("webhook_log") && (
        <>
          {" · "}
          <a href={linkTo("webhooks/deliveries", { webhook_id: endpoint.webhook_id })}>Deliveries</a>
        </>
      )}
    </p>
    {endpoint.disabled_reason !== null && <p class="note">{endpoint.disabled_reason}</p>}
    {hasAccess("webhooks") && (
      <div class="actions">
        <ChangeEvents endpoint={endpoint} onDone={endpointsChanged} />
        <RotateSecret endpoint={endpoint} />
        <SetEndpointStatus
          webhookId={endpoint.webhook_id}
          status={endpoint.status === "active" ? "disabled" : "active"}
          onDone={endpointsChanged}
        />
        <RemoveEndpoint endpoint={endpoint} onDone={endpointsChanged} />
      </div>
    )}
  </li>
)

export const Endpoints = () => {
  const list = usePages(
    (cursor, signal) =>
      call("webhooks", "list", { urlParams: { ...orgFilter(), limit: 50, last_evaluated_key: cursor } }, { signal }),
    [orgId.value, endpointsVersion.value]
  )
  return (
    <PagedList
      list={list}
      empty={
        <EmptyState icon="webhooks" title="No endpoints">
          Add the address of your server to receive payment events.
        </EmptyState>
      }
    >
      {(items) => (
        <ul class="queue">
          {items.map((endpoint) => (
            <Row key={endpoint.webhook_id} endpoint={endpoint} />
          ))}
        </ul>
      )}
    </PagedList>
  )
}

export const NewEndpoint = () => {
  const [secret, setSecret] = useState<string>()
  return (
    <>
      <ActionButton
        name="Add endpoint"
        icon="plus"
        kind="primary"
        explanation="Events are sent to it from now on. Its signing secret is shown once."
        submit="Add endpoint"
        done="Endpoint added"
        onDone={endpointsChanged}
        act={async ({ endpoint_url = "", events = "" }, key) => {
          const payload = { endpoint_url, events: eventTypesIn(events), ...orgFilter() }
          setSecret((await call("webhooks", "create", { payload }, { key })).data.secret_key)
        }}
      >
        <Field name="endpoint_url" label="Address" kind="url" placeholder="https://shop.example/webhooks" required />
        <Field name="events" label="Events" kind="area" value="*" hint={eventsHint} required />
      </ActionButton>
      {secret !== undefined && (
        <SecretDialog
          title="The endpoint's signing secret"
          explanation="Verify deliveries with this secret. Store it now: it is not shown again."
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  )
}
