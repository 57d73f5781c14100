import { roles } from "../../domain/Roles.ts"
import type { Item } from "../api/ConsoleApi.ts"
import { Badge } from "../components/Badge.tsx"
import { PagedTable } from "../components/Loading.tsx"
import { Field } from "../components/Form.tsx"
import { orgColumn } from "../components/DataTable.tsx"
import { Page } from "../components/PageFrame.tsx"
import { ActionButton } from "../components/Dialog.tsx"
import { Time } from "../components/Values.tsx"
import { useOrgPages } from "../state/LoadHooks.ts"
import { isAdmin, hasAccess, orgFilter } from "../state/ConsoleSession.ts"
import { labelOf, optionsOf } from "../state/Display.ts"
import { isolatedName } from "../../domain/IsolatedName.ts"

type Key = Item<"apiKeys", "list">

const graceOptions = [
  ["0", "Stops working at once"],
  ["3600", "Works for one more hour"],
  ["86400", "Works for one more day"],
  ["604800", "Works for one more week"]
] as const

const newKey = {
  title: "Your new key",
  explanation: "Store it now: it is not shown again. Anyone with the key can act for your organisation."
}

const Rotate = ({ apiKey }: { readonly apiKey: Key }) => (
  <ActionButton
    name="Rotate"
    label={`Rotate ${apiKey.name}`}
    title="Rotate the key"
    explanation="Replaces this key with a new one of the same name and role. You become its owner."
    done="Key rotated"
    secret={newKey}
    act={async ({ grace = "0" }, send) => {
      const path = { api_key_id: apiKey.api_key_id }
      return (await send("apiKeys", "rotate", { path, payload: { grace_seconds: Number(grace) } })).data.api_key
    }}
  >
    <Field name="grace" label="The old key" options={graceOptions} />
  </ActionButton>
)

const Revoke = ({ apiKey }: { readonly apiKey: Key }) => (
  <ActionButton
    name="Revoke"
    label={`Revoke ${apiKey.name}`}
    title="Revoke the key"
    kind="danger"
    explanation={`“${isolatedName(apiKey.name)}” stops working now. Requests with it are refused. This cannot be undone.`}
    submit="Revoke the key"
    done="Key revoked"
    act={(_, send) => send("apiKeys", "revoke", { path: { api_key_id: apiKey.api_key_id } })}
  />
)

export const ApiKeysPage = () => {
  const list = useOrgPages("apiKeys", "list")
  const create = (
    <ActionButton
      name="Create key"
      icon="plus"
      kind="primary"
      explanation="The key belongs to you and has at most your rights. It is shown once."
      done="Key created"

      secret={newKey}
      act={async ({ name = "", role = "staff" }, send) => {
        const payload = { name, role: role as Key["role"], ...orgFilter() }
        return (await send("apiKeys", "create", { payload })).data.api_key
      }}
    >
      <Field name="name" label="Name" placeholder="Checkout server" required />
      <Field name="role" label="Role" options={optionsOf(roles)} value="staff" />
    </ActionButton>
  )
  return (
    <Page
      title="API keys"
      reload={list.reload}
      lead="For your servers. Never put one into a web page or an app."
      actions={isAdmin.value || !hasAccess("api_keys") ? undefined : create}
    >
      <PagedTable
        list={list}
        empty={["keys", "No keys"]}
        caption="API keys"
        keyOf={({ api_key_id }) => api_key_id}
        columns={[
          { name: "Name", show: ({ name }) => <strong>{name}</strong> },
          { name: "Status", show: ({ status }) => <Badge status={status} /> },
          ...orgColumn<Key>(({ org_id }) => org_id),
          { name: "Prefix", below: true, show: ({ prefix }) => <code>{prefix}…</code> },
          { name: "Role", show: ({ role }) => labelOf(role) },
          { name: "Created", align: "end", wide: true, show: ({ created_at }) => <Time at={created_at} /> }
        ]}
        actions={(apiKey) =>
          apiKey.status === "revoked" ? null : (
            <>
              <Rotate apiKey={apiKey} />
              <Revoke apiKey={apiKey} />
            </>
          )
        }
      />
    </Page>
  )
}
