/** An account at Flutterwave, orders of every kind that it serves, and Flutterwave's own schemas and samples. */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Ajv } from "ajv"
import addFormats from "ajv-formats"
import { CountryCode } from "../../../src/domain/Country.ts"
import type { ProviderHttp } from "../../../src/providers/client/ProviderHttp.ts"
import { flutterwaveFake } from "../../../src/providers/flutterwave/Fake.ts"
import { flutterwave } from "../../../src/providers/flutterwave/Flutterwave.ts"
import type { PaymentOrder } from "../../../src/providers/port/Provider.ts"
import type { Account } from "../../../src/providers/port/ThirdParty.ts"
import { accountOf, amount, orderOf } from "../OverTheWire.ts"

export const connected = (
  http: ProviderHttp,
  credentials: Readonly<Record<string, string>> = {},
  about: Partial<Account<typeof flutterwave.fields>> = {}
) => flutterwave.connect(accountOf(flutterwave, http, { ...flutterwaveFake.credentials, ...credentials }, about))

const recipient = { name: "Akinyi Otieno", email: null, phone: null, address: null, externalAccountId: null }

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
          country: CountryCode.make(country),
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

const file = fileURLToPath(new URL("../../../../shared/contracts/flutterwave.examples.json", import.meta.url))

export const contractIsHere = existsSync(file)

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

const contract: ContractFile = contractIsHere
  ? (JSON.parse(readFileSync(file, "utf8")) as ContractFile)
  : { operations: [], requestSchemas: {} }

export const operations = contract.operations

/** What the sample itself is; the SDK wraps some of them. */
export const responseIn = ({ response }: Sample): unknown => response?.["body"] ?? response

/** Choices by currency became alternatives that overlap, of which text always fits several: one of them is enough. */
const withAlternatives = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withAlternatives)
  if (schema === null || typeof schema !== "object") return schema
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name === "oneOf" ? "anyOf" : name, withAlternatives(value)])
  )
}

const ajv = new Ajv({ strict: false, unicodeRegExp: false, allErrors: true })
addFormats.default(ajv)

/** `part`: of one of its properties alone. */
export const problemsOf = (name: string, value: unknown, part?: string): ReadonlyArray<string> => {
  const schema = contract.requestSchemas[name] as { readonly properties: Readonly<Record<string, object>> }
  const validate = ajv.compile(withAlternatives(part === undefined ? schema : schema.properties[part]) as object)
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ""}`)
}
