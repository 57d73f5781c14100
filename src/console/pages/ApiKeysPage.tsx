import { useState } from "preact/hooks"
import { roles } from "../../domain/Roles.ts"
import { type Answer, call } from "../api/ConsoleApi.ts"
import { Badge } from "../components/Badge.tsx"
import { EmptyState, PagedList } from "../components/Loading.tsx"
import { Field } from "../components/Form.tsx"
import { orgColumn, Table } from "../components/DataTable.tsx"
import { Page } from "../components/PageFrame.tsx"
import { SecretDialog, ActionButton } from "../components/Dialog.tsx"
import { Time } from "../components/Values.tsx"
import { usePages } from "../state/LoadHooks.ts"
import { isAdmin, hasAccess, orgFilter, orgId } from "../state/ConsoleSession.ts"
import { labelOf } from "../state/Display.ts"

type Key = Answer<"apiKeys", "list">["data"][number]
type Role = Key["role"]

const graceOptions = [
  ["0", "Stops working at once"],
  ["3600", "Works for one more hour"],
  ["86400", "Works for one more day"],
  ["604800", "Works for one more week"]
] as const

const shownOnce = "Store it now: it is not shown again. Anyone with the key can act for your organisation."

interface RowProps {
  readonly apiKey: Key
  readonly onDone: () => void
  readonly onSecret: (secret: string) => void
}

const Rotate = ({ apiKey, onDone, onSecret }: RowProps) => (
  <ActionButton
    name="Rotate"
    label={`Rotate ${apiKey.name}`}
    title="Rotate the key"
    explanation="Replaces this key with a new one of the same name and role. You become its owner."
    submit="Rotate"
    done="Key rotated"
    onDone={onDone}
    act={async ({ grace = "0" }, key) => {
      const path = { api_key_id: apiKey.api_key_id }
      const { data } = await call("apiKeys", "rotate", { path, payload: { grace_seconds: Number(grace) } }, { key })
      onSecret(data.api_key)
    }}
  >
    <Field name="grace" label="The old key" options={graceOptions} />
  </ActionButton>
)

const Revoke = ({ apiKey, onDone }: Omit<RowProps, "onSecret">) => (
  <ActionButton
    name="Revoke"
    label={`Revoke ${apiKey.name}`}
    title="Revoke the key"
    kind="danger"
    explanation={`“${apiKey.name}” stops working now. Requests with it are refused. This cannot be undone.`}
    submit="Revoke the key"
    done="Key revoked"
    onDone={onDone}
    act={(_, key) => call("apiKeys", "revoke", { path: { api_key_id: apiKey.api_key_id } }, { key })}
  />
)

export const ApiKeysPage = () => {
  const [secret, setSecret] = useState<string>()
  const list = usePages(
    (cursor, signal) =>
      call("apiKeys", "list", { urlParams: { ...orgFilter(), limit: 25, last_evaluated_key: cursor } }, { signal }),
    [orgId.value]
  )
  const create = (
    <ActionButton
      name="Create key"
      icon="plus"
      kind="primary"
      explanation="The key belongs to you and has at most your rights. It is shown once."
      submit="Create key"
      done="Key created"
      onDone={list.reload}
      act={async ({ name = "", role = "staff" }, key) => {
        const { data } = await call(
          "apiKeys",
          "create",
          { payload: { name, role: role as Role, ...orgFilter() } },
          { key }
        )
        setSecret(data.api_key)
      }}
    >
      <Field name="name" label="Name" placeholder="Checkout server" required />
      <Field name="role" label="Role" options={roles.map((role) => [role, labelOf(role)])} value="staff" />
    </ActionButton>
  )
  return (
    <Page
      title="API keys"
      lead="For your servers. Never put one into a web page or an app."
      actions={isAdmin.value || !hasAccess("api_keys") ? undefined : create}
    >
      <PagedList list={list} empty={<EmptyState icon="keys" title="No keys" />}>
        {(items) => (
          <Table
            caption="API keys"
            rows={items}
            keyOf={({ api_key_id }) => api_key_id}
            columns={[
              { name: "Name", show: ({ name }) => <strong>{name}</strong> },
              { name: "Status", show: ({ status }) => <Badge status={status} /> },
              ...orgColumn<Key>(({ org_id }) => org_id),
              { name: "Prefix", below: true, show: ({ prefix }) => <code>{prefix}…</code> },
              { name: "Role", show: ({ role }) => labelOf(role) },
              { name: "Created", align: "end", wide: true, show: ({ created_at }) => <Time at={created_at} /> },
              {
                name: "Actions",
                quiet: true,
                align: "end",
                show: (apiKey) =>
                  apiKey.status === "revoked" ? null : (
                    <div class="actions">
                      <Rotate apiKey={apiKey} onDone={list.reload} onSecret={setSecret} />
                      <Revoke apiKey={apiKey} onDone={list.reload} />
                    </div>
                  )
              }
            ]}
          />
        )}
      </PagedList>
      {secret !== undefined && (
        <SecretDialog
          title="Your new key"
          explanation={shownOnce}
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </Page>
  )
}
