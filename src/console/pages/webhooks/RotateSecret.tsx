import { useState } from "preact/hooks"
import { call } from "../../api/Api.ts"
import { Field } from "../../parts/Field.tsx"
import { Secret } from "../../parts/Secret.tsx"
import { Task } from "../../parts/Task.tsx"
import type { Endpoint } from "./Endpoint.ts"

export const RotateSecret = ({ endpoint }: { readonly endpoint: Endpoint }) => {
  const [secret, setSecret] = useState<string>()
  return (
    <>
      <Task
        name="New secret"
        title="Replace the signing secret"
        kind="danger"
        says="Makes a new signing secret. For 24 hours deliveries carry the signatures of both, unless the old one leaked and is to be forgotten at once."
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
            ["later", "Counts for 24 hours more"],
            ["now", "Is forgotten at once"]
          ]}
        />
      </Task>
      {secret !== undefined && (
        <Secret
          title="The new signing secret"
          says="Store it now: it is not shown again."
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  )
}
