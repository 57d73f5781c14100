/** An account at Flutterwave, orders of every kind that it serves, and Flutterwave's own schemas and samples. */
import type { ProviderHttp } from "../../../src/providers/client/ProviderHttp.ts"
import { flutterwaveFake } from "../../fakes/FlutterwaveFake.ts"
import { flutterwave } from "../../../src/providers/flutterwave/FlutterwaveAdapter.ts"
import type { PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { type AboutAccount, connected } from "../support/ConnectedAdapter.ts"
import { amount, orderOf, recipientNamed } from "../support/TestOrders.ts"
import { type Flaws, publishedFile, schemaJudge, unpublished } from "../support/PublishedContract.ts"

export const atFlutterwave = (
  http: ProviderHttp,
  credentials: Readonly<Record<string, string>> = {},
  about: AboutAccount<typeof flutterwave.fields> = {}
) => connected(flutterwave, http, { ...flutterwaveFake.credentials, ...credentials }, about)

const recipient = recipientNamed("Akinyi Otieno")

const phones: Readonly<Record<string, string>> = {
  KE: "+254712345678",
  GH: "+233241234567",
  UG: "+256772123456",
  RW: "+250781234567",
  TZ: "+255712345678",
  ZM: "+260971234567",
  CI: "+2250701234567",
  SN: "+221771234567"
}

/** One order for each corridor that it declares, in each network. */
export const everyOrder = (): ReadonlyArray<PaymentOrder> =>
  flutterwave.serves.flatMap(({ countries, currencies, flow, method, networks = [""] }) =>
    currencies.flatMap((currency) =>
      networks.map((network) => {
        const country = countries === "everywhere" ? "NG" : countries[0]!
        return orderOf({
          method,
          flow,
          country,
          money: amount("1500", currency),
          mobileMoney: network === "" ? null : { network, phoneNumber: phones[country]! },
          bank:
            method === "bank_transfer" && flow === "outbound"
              ? {
                  accountName: "Akinyi Otieno",
                  accountNumber: "0690000031",
                  bankCode: "044",
                  bankName: "Access Bank",
                  country
                }
              : null,
          recipient: flow === "outbound" ? recipient : null
        })
      })
    )
  )

export const orderFor = (
  method: PaymentOrder["method"],
  flow: PaymentOrder["flow"],
  country: string,
  about: Partial<PaymentOrder> = {}
): PaymentOrder => {
  const found = everyOrder().find((one) => one.method === method && one.flow === flow && one.country === country)
  return { ...found!, ...about }
}

const FILE = "flutterwave.examples.json"

export const why = unpublished(FILE)

interface Sample {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>> | null
  readonly request: unknown
  readonly response: Readonly<Record<string, unknown>> | null
}

interface ContractFile {
  readonly operations: ReadonlyArray<Sample>
  readonly requestSchemas: Readonly<Record<string, object>>
}

/** Choices by currency became alternatives that overlap, of which text always fits several: one of them is enough. */
const withAlternatives = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withAlternatives)
  if (schema === null || typeof schema !== "object") return schema
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name === "oneOf" ? "anyOf" : name, withAlternatives(value)])
  )
}

const contract =
  why === ""
    ? (withAlternatives(JSON.parse(publishedFile(FILE))) as ContractFile)
    : { operations: [], requestSchemas: {} }

export const operations = contract.operations

/** Sample itself, without the SDK's wrapper around some of them. */
export const responseIn = ({ response }: Sample): unknown => response?.["body"] ?? response

const judge = schemaJudge()

/** `part`: of one of its properties alone. */
export const schemaFlaws = (name: string, value: unknown, part?: string): Flaws => {
  const schema = contract.requestSchemas[name] as { readonly properties: Readonly<Record<string, object>> }
  return judge(part === undefined ? schema : schema.properties[part], value)
}
