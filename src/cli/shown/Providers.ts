/** Configurations of providers as people read them, whichever way they came. */
import { type TextLayout, tableLayout } from "../shared/Table.ts"

interface Config {
  readonly config_id: string
  readonly provider: string
  readonly country: string
  readonly payment_method: string
  readonly direction: string
  readonly priority: number
  readonly is_active: boolean
  readonly org_id: string | null
}

export const configTable = <C extends Config>(
  configs: ReadonlyArray<C>,
  accountOf: (config: C) => string,
  lastHour: (provider: C["provider"]) => string
): TextLayout =>
  tableLayout(
    ["CONFIG", "PROVIDER", "CORRIDOR", "PRIORITY", "STATE", "FOR", "ACCOUNT", "LAST HOUR"],
    configs.map((config) => [
      config.config_id,
      config.provider,
      `${config.country} ${config.payment_method} ${config.direction}`,
      String(config.priority),
      config.is_active ? "on" : "off",
      config.org_id ?? "everybody",
      accountOf(config),
      lastHour(config.provider)
    ]),
    "No provider is configured for any corridor.",
    ["PRIORITY", "ACCOUNT", "FOR", "LAST HOUR"]
  )
