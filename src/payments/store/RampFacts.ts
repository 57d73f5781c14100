/** What a ramp is besides a payment. Amounts and rates are decimal text. */
import type { CryptoNetwork } from "../../domain/CryptoAsset.ts"

export interface RampFacts {
  readonly direction: "on_ramp" | "off_ramp"
  readonly network: CryptoNetwork
  /** Where an on-ramp settles. */
  readonly wallet_address: string | null
  /** How the first leg is paid, and the second. */
  readonly collection: "bank_transfer" | "mobile_money" | "crypto"
  readonly settlement: "bank_transfer" | "mobile_money" | "wallet" | "crypto"
  readonly rate: string
  readonly client_rate: string
  readonly customer_type: "retail" | "institution"
  readonly business_id: string | null
  readonly business_name: string | null
  /** What has arrived of the customer's money; null until it has. */
  readonly collected: string | null
}
