import { call } from "../../api/Api.ts"
import { Field } from "../../parts/Field.tsx"
import { Task } from "../../parts/Task.tsx"
import type { Endpoint } from "./Endpoint.ts"
import { eventsHint, eventsIn } from "./Events.ts"

export const ChangeEvents = ({ endpoint, onDone }: { readonly endpoint: Endpoint; readonly onDone: () => void }) => (
  <Task
    name="Change"
    title="Change the endpoint"
    says="What already waits is sent to the new address too. Events that it no longer asks for are not sent to it from now on."
    submit="Save"
    done="Endpoint changed"
    onDone={onDone}
    act={({ endpoint_url = "", events = "" }, key) =>
      call(
        "webhooks",
        "update",
        { path: { webhook_id: endpoint.webhook_id }, payload: { endpoint_url, events: eventsIn(events) } },
        { key }
      )
    }
  >
    <Field name="endpoint_url" label="Address" kind="url" value={endpoint.endpoint_url} required />
    <Field name="events" label="Events" kind="area" value={endpoint.events.join("\n")} hint={eventsHint} required />
  </Task>
)
