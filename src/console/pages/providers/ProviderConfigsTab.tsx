import { call, type Request } from "../../api/ConsoleApi.ts"
import { amountText, type Amount, inputText, optionalAmount } from "../../api/Amount.ts"
import { Badge } from "../../components/Badge.tsx"
import { EmptyState, PagedList } from "../../components/Loading.tsx"
import { Field, type Values } from "../../components/Form.tsx"
import { Table } from "../../components/DataTable.tsx"
import { ActionButton } from "../../components/Dialog.tsx"
import { orgName, chosenOrg } from "../../state/ConsoleSession.ts"
import { usePages } from "../../state/LoadHooks.ts"
import { route, setQuery } from "../../state/HashRouter.ts"
import { labelOf } from "../../state/Display.ts"
import { type Config, flowOptions, methodOptions, providerName, providerOptions } from "./ProviderNames.ts"
import { Problem } from "../../api/ApiResponse.ts"

/** Configurations that apply to an organisation. */
type ConfigParams = NonNullable<Request<"providerConfigs", "list">["urlParams"]>

interface ConfigPage {
  readonly data: ReadonlyArray<Config>
  readonly last_evaluated_key: string | null
}

const PAGE = 25
const MAX_PAGE = 100

const loadConfigPage = (urlParams: ConfigParams, signal: AbortSignal): Promise<ConfigPage> =>
  call("providerConfigs", "list", { urlParams }, { signal })

/** Reads on until a page has a shared configuration: the full list includes those of other organisations. */
const loadPlatformConfigs = async (
  wanted: ConfigParams,
  cursor: string | undefined,
  signal: AbortSignal
): Promise<ConfigPage> => {
  const page = await loadConfigPage({ ...wanted, limit: MAX_PAGE, last_evaluated_key: cursor }, signal)
  const data = page.data.filter(({ org_id }) => org_id === null)
  return data.length > 0 || page.last_evaluated_key === null
    ? { ...page, data }
    : loadPlatformConfigs(wanted, page.last_evaluated_key, signal)
}

/** Own configurations first, in the order they are tried; then the shared ones. */
const loadConfigsOfOrg = async (
  org: string,
  wanted: ConfigParams,
  cursor: string | undefined,
  signal: AbortSignal
): Promise<ConfigPage> => {
  const [own, everybody] = await Promise.all([
    cursor === undefined ? loadConfigPage({ ...wanted, org_id: org, limit: MAX_PAGE }, signal) : undefined,
    loadPlatformConfigs(wanted, cursor, signal)
  ])
  return { ...everybody, data: [...(own?.data ?? []), ...everybody.data] }
}

export const loadConfigs = (
  org: string | undefined,
  wanted: ConfigParams,
  cursor: string | undefined,
  signal: AbortSignal
): Promise<ConfigPage> =>
  org === undefined
    ? loadConfigPage({ ...wanted, limit: PAGE, last_evaluated_key: cursor }, signal)
    : loadConfigsOfOrg(org, wanted, cursor, signal)

const limitIn = (text: string): Amount | null => optionalAmount(text) ?? null

export const settingsIn = ({
  description = "",
  is_active,
  max_amount = "",
  min_amount = "",
  priority = ""
}: Values) => ({
  priority: Number(priority),
  is_active: is_active === "on",
  min_amount: limitIn(min_amount),
  max_amount: limitIn(max_amount),
  description: description === "" ? null : description
})

const amountInput = (amount: Amount | null | undefined): string =>
  amount === null || amount === undefined ? "" : inputText(amount)

/** Fields that can be set at creation and changed later. */
export const ConfigFields = ({ config }: { readonly config?: Config }) => (
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
      <Field
        name="min_amount"
        label="From"
        inputMode="decimal"
        value={amountInput(config?.min_amount)}
        required={false}
      />
      <Field
        name="max_amount"
        label="Up to"
        inputMode="decimal"
        value={amountInput(config?.max_amount)}
        required={false}
      />
    </div>
    <Field name="description" label="Note" value={config?.description ?? ""} required={false} />
  </>
)

export const EditConfig = ({ config, onDone }: { readonly config: Config; readonly onDone: () => void }) => (
  <ActionButton
    name="Change"
    label={`Change ${providerName(config.provider)} in ${config.country}`}
    title={`${providerName(config.provider)} in ${config.country}`}
    explanation={`Takes effect with the next payment${config.org_id === null ? " of every organisation" : ""} . Payments in progress are completed.`}
    submit="Save"
    done="Configuration changed"
    onDone={onDone}
    act={(values, key) =>
      call(
        "providerConfigs",
        "update",
        { path: { provider: config.provider, config_id: config.config_id }, payload: settingsIn(values) },
        { key }
      )
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

export const SetCredentials = ({ config, onDone }: { readonly config: Config; readonly onDone: () => void }) => (
  <ActionButton
    name="Credentials"
    label={`Credentials of ${providerName(config.provider)} in ${config.country}`}
    title={`Account at ${providerName(config.provider)}`}
    explanation="Uses a separate account at the provider. The credentials are tested now with a harmless call, stored encrypted, and never shown again."
    submit="Set credentials"
    done="Credentials set"
    onDone={onDone}
    act={({ fields = "" }, key) =>
      call(
        "providerConfigs",
        "setCredentials",
        {
          path: { provider: config.provider, config_id: config.config_id },
          urlParams: { forget_replaced: false },
          payload: fieldsIn(fields)
        },
        { key }
      )
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

export const NewConfig = ({ onDone }: { readonly onDone: () => void }) => (
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
    submit="Add"
    done="Configuration added"
    onDone={onDone}
    act={({ country = "", direction, payment_method, provider, ...values }, key) =>
      call(
        "providerConfigs",
        "create",
        {
          payload: {
            provider: provider as Config["provider"],
            payment_method: payment_method as Config["payment_method"],
            direction: direction as Config["direction"],
            country: country.toUpperCase(),
            org_id: chosenOrg.value ?? null,
            ...settingsIn(values)
          }
        },
        { key }
      )
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

const Remove = ({ config, onDone }: { readonly config: Config; readonly onDone: () => void }) => (
  <ActionButton
    name="Remove"
    label={`Remove ${providerName(config.provider)} in ${config.country}`}
    title="Remove the configuration"
    kind="danger"
    explanation={`No new payment${config.org_id === null ? " of any organisation" : ""} uses it from now on. Payments in progress are completed.`}
    submit="Remove"
    done="Configuration removed"
    onDone={onDone}
    act={(_, key) =>
      call("providerConfigs", "remove", { path: { provider: config.provider, config_id: config.config_id } }, { key })
    }
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
  const list = usePages(
    (cursor, signal) => loadConfigs(chosenOrg.value, query, cursor, signal),
    [query, chosenOrg.value]
  )
  return (
    <>
      <div class="filters">
        {filters.map(([name, label, options]) => (
          <Field
            key={name}
            name={name}
            label={label}
            options={options}
            value={query[name] ?? ""}
            onInput={(value) => setQuery({ ...query, [name]: value })}
          />
        ))}
        <NewConfig onDone={list.reload} />
      </div>
      <PagedList
        list={list}
        empty={
          <EmptyState icon="providers" title="No configurations">
            Without one for a corridor, its payments are refused.
          </EmptyState>
        }
      >
        {(items) => (
          <Table
            caption="Provider configurations"
            rows={items}
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
              },
              {
                name: "Actions",
                quiet: true,
                align: "end",
                show: (config) => (
                  <div class="actions">
                    <EditConfig config={config} onDone={list.reload} />
                    <SetCredentials config={config} onDone={list.reload} />
                    <Remove config={config} onDone={list.reload} />
                  </div>
                )
              }
            ]}
          />
        )}
      </PagedList>
    </>
  )
}
