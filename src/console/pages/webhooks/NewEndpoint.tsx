import { useState } from "preact/hooks"
import { call } from "../../api/Api.ts"
import { Field } from "../../parts/Field.tsx"
import { Secret } from "../../parts/Secret.tsx"
import { Task } from "../../parts/Task.tsx"
import { ofOrg } from "../../state/Session.ts"
import { changed } from "./Changes.ts"
import { eventsHint, eventsIn } from "./Events.ts"

export const NewEndpoint = () => {
  const [secret, setSecret] = useState<string>()
  return (
    <>
      <Task
        name="Add endpoint"
        icon="plus"
        kind="primary"
        says="Events are sent to it from now on. You will be shown its signing secret once."
        submit="Add endpoint"
        done="Endpoint added"
        onDone={changed}
        act={async ({ endpoint_url = "", events = "" }, key) => {
          const payload = { endpoint_url, events: eventsIn(events), ...ofOrg() }
          setSecret((await call("webhooks", "create", { payload }, { key })).data.secret_key)
        }}
      >
        <Field name="endpoint_url" label="Address" kind="url" placeholder="https://shop.example/webhooks" required />
        <Field name="events" label="Events" kind="area" value="*" hint={eventsHint} required />
      </Task>
      {secret !== undefined && (
        <Secret
          title="The endpoint's signing secret"
          says="Your server checks with it that a delivery is ours. Store it now: it is not shown again."
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  )
}
