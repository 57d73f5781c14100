import { call } from "../../api/Api.ts"
import { Task } from "../../parts/Task.tsx"
import type { Endpoint } from "./Endpoint.ts"

export const RemoveEndpoint = ({ endpoint, onDone }: { readonly endpoint: Endpoint; readonly onDone: () => void }) => (
  <Task
    name="Remove"
    title="Remove the endpoint"
    kind="danger"
    says={`${endpoint.endpoint_url} receives nothing any more. Its deliveries go with it, those that still wait included.`}
    submit="Remove the endpoint"
    done="Endpoint removed"
    onDone={onDone}
    act={(_, key) => call("webhooks", "remove", { path: { webhook_id: endpoint.webhook_id } }, { key })}
  />
)
