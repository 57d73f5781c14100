/** The network that receivers are in: the internet, unless a test provides one that it can listen in. */
import { Context } from "effect"
import type { CheckedAddress } from "../ssrf/Address.ts"

export interface Network {
  /** Who may vouch for a receiver's certificate, in PEM; by default those that Node trusts. */
  readonly authorities?: ReadonlyArray<string>
  /** Where an address that was checked is to be found. */
  readonly reach: (checked: CheckedAddress) => CheckedAddress
}

const internet: Network = { reach: (checked) => checked }

export class HookNetwork extends Context.Reference<HookNetwork>()("corridor/HookNetwork", {
  defaultValue: () => internet
}) {}
