import type { BoundCall, Request } from "../../api/ConsoleApi.ts"
import { amountText, type Amount, inputText, optionalAmount } from "../../api/Amount.ts"
import { Badge } from "../../components/Badge.tsx"
import { PagedTable } from "../../components/Loading.tsx"
import { Field, FilterField, type Values } from "../../components/Form.tsx"
import { Reload } from "../../components/PageFrame.tsx"
import { ActionButton } from "../../components/Dialog.tsx"
import { orgName, chosenOrg } from "../../state/ConsoleSession.ts"
import { usePages } from "../../state/LoadHooks.ts"
import { route } from "../../state/HashRouter.ts"
import { labelOf } from "../../state/Display.ts"
import { type Config, flowOptions, methodOptions, providerName, providerOptions } from "./ProviderNames.ts"
import { type Cursor, type ListPage, Problem } from "../../api/ApiResponse.ts"
import { nextPage } from "../../../client/RequestRules.ts"

type ConfigParams = NonNullable<Request<"providerConfigs", "list">["urlParams"]>

const MAX_PAGE = 100

type ConfigPage = ListPage<Config>

/** Reads on until a page has a shared configuration: the full list includes those of other organisations. */
const loadSharedConfigs = async (get: BoundCall, filters: ConfigParams, cursor: Cursor): Promise<ConfigPage> => {
  const page = await get("providerConfigs", "list", { urlParams: { ...filters, limit: MAX_PAGE, ...cursor } })
  const data = page.data.filter(({ org_id }) => org_id === null)
  const next = nextPage(page)
  return data.length > 0 || next === undefined ? { ...page, data } : loadSharedConfigs(get, filters, next)
}

/** With an organisation: its own configurations first, in the order they are tried; then the shared ones. */
const loadConfigs = async (
  get: BoundCall,
  org_id: string | undefined,
  filters: ConfigParams,
  cursor: Cursor
): Promise<ConfigPage> => {
  if (org_id === undefined) return get("providerConfigs", "list", { urlParams: { ...filters, limit: 25, ...cursor } })
  const isFirst = Object.keys(cursor).length === 0
  const [own, shared] = await Promise.all([
    isFirst ? get("providerConfigs", "list", { urlParams: { ...filters, org_id, limit: MAX_PAGE } }) : undefined,
    loadSharedConfigs(get, filters, cursor)
  ])
  return { ...shared, data: [...(own?.data ?? []), ...shared.data] }
}

const settingsIn = ({ description = "", is_active, max_amount = "", min_amount = "", priority = "" }: Values) => ({
  priority: Number(priority),
  is_active: is_active === "on",
  min_amount: optionalAmount(min_amount) ?? null,
  max_amount: optionalAmount(max_amount) ?? null,
  description: description || null
})

interface LimitFieldProps {
  readonly name: string
  readonly label: string
  readonly limit: Amount | null | undefined
}

const LimitField = ({ limit, ...field }: LimitFieldProps) => (
  <Field {...field} inputMode="decimal" value={limit ? inputText(limit) : ""} required={false} />
)

/** Fields that can be set at creation and changed later. */
const ConfigFields = ({ config }: { readonly config?: Config }) => (
  <>
    <div class="pair">
      <Field
        name="priority"
        label="Priority"
        inputMode="numeric"
        value={String(config?.priority ?? 100)}
        hint="The lowest is tried first."
        required
      />
      <Field
        name="is_active"
        label="State"
        options={[
          ["on", "On"],
          ["off", "Off"]
        ]}
        value={config?.is_active === false ? "off" : "on"}
      />
    </div>
    <div class="pair">
      <LimitField name="min_amount" label="From" limit={config?.min_amount} />
      <LimitField name="max_amount" label="Up to" limit={config?.max_amount} />
    </div>
    <Field name="description" label="Note" value={config?.description ?? ""} required={false} />
  </>
)

const pathOf = ({ config_id, provider }: Config) => ({ provider, config_id })

const titleOf = ({ country, provider }: Config): string => `${providerName(provider)} in ${country}`

const EditConfig = ({ config }: { readonly config: Config }) => (
  <ActionButton
    name="Change"
    label={`Change ${titleOf(config)}`}
    title={titleOf(config)}
    explanation={`Takes effect with the next payment${config.org_id === null ? " of every organisation" : ""}. Payments in progress are completed.`}
    submit="Save"
    done="Configuration changed"
    act={(values, send) =>
      send("providerConfigs", "update", {
        path: pathOf(config),
        payload: settingsIn(values)
      })
    }
  >
    <ConfigFields config={config} />
  </ActionButton>
)

const fieldsIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => {
        const [, name, value] = /^\s*([a-z_]+)\s*[=:]\s*(.+?)\s*$/.exec(line) ?? []
        if (name === undefined || value === undefined) throw new Problem(400, "Write each field as name=value.")
        return [name, value]
      })
  )

const SetCredentials = ({ config }: { readonly config: Config }) => (
  <ActionButton
    name="Credentials"
    label={`Credentials of ${titleOf(config)}`}
    title={`Account at ${providerName(config.provider)}`}
    explanation="Uses a separate account at the provider. The credentials are tested now with a harmless call, stored encrypted, and never shown again."
    submit="Set credentials"
    done="Credentials set"
    act={({ fields = "" }, send) =>
      send("providerConfigs", "setCredentials", {
        path: pathOf(config),
        urlParams: { forget_replaced: false },
        payload: fieldsIn(fields)
      })
    }
  >
    <Field
      name="fields"
      label="Fields"
      kind="area"
      placeholder={"api_token=…\npublic_key=…"}
      hint="One field per line: name=value."
      required
    />
  </ActionButton>
)

const NewConfig = () => (
  <ActionButton
    name="Add"
    title="Add a provider to a corridor"
    icon="plus"
    kind="primary"
    explanation={
      chosenOrg.value === undefined
        ? "New payments of all organisations in this corridor are offered to it."
        : "New payments of the chosen organisation in this corridor are offered to it before the shared ones."
    }
    done="Configuration added"
    act={({ country = "", direction, payment_method, provider, ...values }, send) =>
      send("providerConfigs", "create", {
        payload: {
          provider: provider as Config["provider"],
          payment_method: payment_method as Config["payment_method"],
          direction: direction as Config["direction"],
          country: country.toUpperCase(),
          org_id: chosenOrg.value ?? null,
          ...settingsIn(values)
        }
      })
    }
  >
    <Field name="provider" label="Provider" options={providerOptions} />
    <div class="pair">
      <Field name="payment_method" label="Method" options={methodOptions} />
      <Field name="direction" label="Kind" options={flowOptions} />
    </div>
    <Field name="country" label="Country" placeholder="KE" required />
    <ConfigFields />
  </ActionButton>
)

const Remove = ({ config }: { readonly config: Config }) => (
  <ActionButton
    name="Remove"
    label={`Remove ${titleOf(config)}`}
    title="Remove the configuration"
    kind="danger"
    explanation={`No new payment${config.org_id === null ? " of any organisation" : ""} uses it from now on. Payments in progress are completed.`}
    done="Configuration removed"
    act={(_, send) => send("providerConfigs", "remove", { path: pathOf(config) })}
  />
)

const limitsOf = ({ max_amount, min_amount }: Config): string => {
  if (min_amount === null && max_amount === null) return "Any amount"
  if (max_amount === null) return `From ${amountText(min_amount!)}`
  return min_amount === null
    ? `Up to ${amountText(max_amount)}`
    : `${amountText(min_amount)} to ${amountText(max_amount)}`
}

const filters = [
  ["provider", "Provider", [["", "Any provider"], ...providerOptions]],
  ["payment_method", "Method", [["", "Any method"], ...methodOptions]],
  ["direction", "Kind", [["", "Any kind"], ...flowOptions]]
] as const

export const ProviderConfigs = () => {
  const query = Object.fromEntries(route.value.query)
  const list = usePages((get, cursor) => loadConfigs(get, chosenOrg.value, query, cursor), [query, chosenOrg.value])
  return (
    <Reload.Provider value={list.reload}>
      <div class="filters">
        {filters.map(([name, label, options]) => (
          <FilterField key={name} name={name} label={label} options={options} />
        ))}
        <NewConfig />
      </div>
      <PagedTable
        list={list}
        empty={["providers", "No configurations", "Without one for a corridor, its payments are refused."]}
        caption="Provider configurations"
        keyOf={({ config_id }) => config_id}
        columns={[
          { name: "Provider", show: ({ provider }) => <strong class="nowrap">{providerName(provider)}</strong> },
          {
            name: "State",
            show: ({ is_active }) => (
              <Badge status={is_active ? "active" : "canceled"} words={is_active ? "On" : "Off"} />
            )
          },
          {
            name: "Corridor",
            show: ({ country, direction, payment_method }) =>
              `${country} · ${labelOf(direction)}, ${labelOf(payment_method).toLowerCase()}`
          },
          { name: "Priority", align: "end", show: ({ priority }) => priority },
          { name: "Amounts", wide: true, show: (config) => <span class="nowrap">{limitsOf(config)}</span> },
          {
            name: "For",
            below: true,
            show: ({ has_credentials, org_id }) =>
              `${org_id === null ? "All organisations" : orgName(org_id)}${has_credentials ? ", own account" : ""}`
          }
        ]}
        actions={(config) => (
          <>
            <EditConfig config={config} />
            <SetCredentials config={config} />
            <Remove config={config} />
          </>
        )}
      />
    </Reload.Provider>
  )
}
