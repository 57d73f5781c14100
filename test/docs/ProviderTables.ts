/** The tables of third parties, from what their adapters declare of themselves. */
import { thirdPartyNames } from "../../src/domain/Corridor.ts"
import { declinedByOne, scenarios, magicDigits } from "../fakes/MagicAmounts.ts"
import { type AnyThirdParty, settingsPrefix, thirdParties } from "../../src/providers/accounts/ThirdParties.ts"
import type { Served } from "../../src/providers/port/ThirdParty.ts"
import { table } from "./Table.ts"

const placesOf = (served: ReadonlyArray<Served>): string =>
  served.some(({ countries }) => countries === "everywhere")
    ? "everywhere"
    : [...new Set(served.flatMap(({ countries }) => countries as ReadonlyArray<string>))].toSorted().join(" ")

/** Each method with where it is served; crypto with its chains. */
const lanes = ({ serves }: AnyThirdParty, flow: Served["flow"]): string => {
  const there = serves.filter((one) => one.flow === flow)
  const methods = [...new Set(there.map(({ method }) => method))]
  if (methods.length === 0) return "–"
  return methods
    .map((method) => {
      const served = there.filter((one) => one.method === method)
      const where =
        method === "crypto"
          ? [...new Set(served.flatMap(({ currencies, networks = [] }) => [...currencies, ...networks]))].join(" ")
          : placesOf(served)
      return `\`${method}\` (${where})`
    })
    .join(", ")
}

const settingsOf = ({ fields, name }: AnyThirdParty): string =>
  [
    ...Object.values(fields).map(({ env, optional }) => `\`${env}\`${optional === true ? " (optional)" : ""}`),
    `\`${settingsPrefix(name)}_BASE_URL\` (optional)`
  ].join(", ")

export const providersTable = table(
  ["Provider", "Payins", "Payouts", "Refunds", "Settings"],
  thirdParties.map((party) => [
    `\`${party.name}\``,
    lanes(party, "inbound"),
    lanes(party, "outbound"),
    party.refunds ? "yes" : "no",
    settingsOf(party)
  ])
)

const [firstAlone] = declinedByOne
const lastAlone = declinedByOne.at(-1)

export const amountsTable = table(
  ["Last two digits", "What the fake does"],
  [
    ...magicDigits.map(([digits, fate]) => [`\`${digits}\``, fate === "completes" ? "takes it" : scenarios[fate]]),
    [
      `\`${firstAlone![0]}\` to \`${lastAlone![0]}\``,
      `one of them alone declines it, for reasons of its own: ${thirdPartyNames.join(", ")}, in this order`
    ],
    ["anything else", "takes it, and completes it a moment later"]
  ]
)
