/** A provider configuration as an operator types it: `corridor providers add` before it needs the service. */
import { Option } from "effect"
import { CreateProviderConfig } from "../../contract/api/ProviderConfigs.ts"
import { decodeInput } from "./CommandInput.ts"

export interface TypedConfig {
  readonly provider: string
  readonly country: string
  readonly method: string
  readonly direction: string
  readonly priority: Option.Option<string>
  readonly min: Option.Option<string>
  readonly max: Option.Option<string>
  readonly org: Option.Option<string>
  readonly description: Option.Option<string>
  readonly off: boolean
}

const names = {
  provider: "PROVIDER",
  payment_method: "--method",
  min_amount: "--min",
  max_amount: "--max",
  org_id: "--org"
}

/** Limits are bounds, not money: a double of at most 15 digits holds them exactly, and the schema sees to that. */
const numberIn = (text: string): unknown => (/^\d{1,15}(\.\d{1,8})?$/.test(text) ? Number(text) : text)

const given = (field: string, value: Option.Option<unknown>) =>
  Option.match(value, { onNone: () => ({}), onSome: (one) => ({ [field]: one }) })

export const wantedConfig = (typed: TypedConfig) =>
  decodeInput(
    CreateProviderConfig,
    {
      provider: typed.provider,
      country: typed.country,
      payment_method: typed.method,
      direction: typed.direction,
      is_active: !typed.off,
      ...given("priority", Option.map(typed.priority, numberIn)),
      ...given("min_amount", Option.map(typed.min, numberIn)),
      ...given("max_amount", Option.map(typed.max, numberIn)),
      ...given("org_id", typed.org),
      ...given("description", typed.description)
    } as typeof CreateProviderConfig.Encoded,
    names
  )
