/** The generated tables and diagrams of the documentation: errors, events, test values, states, providers. */
import { stringify } from "lossless-json"
import { openApiDocument } from "../../src/contract/openapi/OpenApiDocument.ts"
import { eventsAbout } from "../../src/contract/api/WebhookEvents.ts"
import { testValues } from "../../src/contract/api/Introduction.ts"
import { codeMeanings } from "../../src/contract/openapi/OpenApiErrors.ts"
import { type EventType, eventTypes } from "../../src/domain/EventTypes.ts"
import { codes } from "../../src/domain/Failure.ts"
import { failureCodes, canCorrect, paymentStatuses, transitions } from "../../src/domain/PaymentStatus.ts"
import { thirdPartyNames } from "../../src/domain/Corridor.ts"
import { declinedByOne, scenarios, magicDigits } from "../fakes/MagicAmounts.ts"
import { type AnyThirdParty, settingsPrefix, thirdParties } from "../../src/providers/accounts/ThirdParties.ts"
import type { Served } from "../../src/providers/port/ThirdParty.ts"

const row = (...cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const table = (titles: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [row(...titles), row(...titles.map(() => "---")), ...rows.map((cells) => row(...cells))].join("\n")

const code = (text: string) => `\`${text}\``

export const codesTable = table(
  ["Code", "Status", "Meaning"],
  Object.entries(codes).map(([name, status]) => [code(name), String(status), codeMeanings[name as keyof typeof codes]])
)

export const testValuesTable = table(["Value", "What happens"], testValues)

export const failuresTable = table(
  ["Code", "Meaning"],
  Object.entries(failureCodes).map(([name, meaning]) => [code(name), meaning])
)

export const eventsTable = table(
  ["Type", "When it is sent"],
  eventTypes.map((type) => [code(type), eventsAbout[type].fires])
)

const arrows = paymentStatuses.flatMap((from) => {
  const to = transitions[from]
  return to.length === 0 ? [`${from} --> [*]`] : to.map((status) => `${from} --> ${status}`)
})

const corrections = paymentStatuses.flatMap((from) =>
  paymentStatuses.filter((to) => canCorrect(from, to)).map((to) => `${from} --> ${to}: operator, ramps only`)
)

export const statesDiagram = [
  "```mermaid",
  "stateDiagram-v2",
  ...["[*] --> initiated", ...arrows, ...corrections].map((line) => `  ${line}`),
  "```"
].join("\n")

/** One event type for each shape of data. */
const shown: ReadonlyArray<EventType> = [
  "payment.completed",
  "payment.failed",
  "payment.refunded",
  "virtual_account.deposit",
  "virtual_account.frozen",
  "kyb.approved",
  "kyc.approved"
]

const { webhooks } = openApiDocument("http://127.0.0.1:3000", "sandbox")

const payloadOf = (type: EventType): string =>
  stringify(webhooks[type]?.post.requestBody.content["application/json"].example, undefined, 2) ?? ""

export const payloads = shown
  .map((type) =>
    [`<!-- not run: the contract's own example, compared with it -->`, `\`\`\`json\n${payloadOf(type)}\n\`\`\``].join(
      "\n\n"
    )
  )
  .join("\n\n")

const placesOf = (served: ReadonlyArray<Served>): string =>
  served.some(({ countries }) => countries === "everywhere")
    ? "everywhere"
    : [...new Set(served.flatMap(({ countries }) => countries as ReadonlyArray<string>))].toSorted().join(" ")

/** Each method with its countries; crypto with its assets and networks. */
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

const callbacksOf = ({ fields, setup: { callbacks, registers }, title }: AnyThirdParty): ReadonlyArray<string> => {
  if (callbacks === null) return ["Nothing is to be entered: every order names the callback address."]
  const { alsoSecret, at, events, secret } = callbacks
  const env = (field: string) => `\`${fields[field]!.env}\``
  return [
    registers === undefined
      ? `${title} has no API to register the address: enter it by hand.`
      : `The command registers ${registers}.`,
    `By hand: ${at}.`,
    ...(events.length === 0 ? [] : [`Events: ${events.map((event) => `\`${event}\``).join(" ")}`]),
    ...(secret === undefined ? [] : [`Secret or id: ${env(secret)}`]),
    ...(alsoSecret === undefined ? [] : [`With ${env(alsoSecret.neededWith)} also: ${env(alsoSecret.field)}`])
  ]
}

/** One section for each provider. */
export const setupSections = thirdParties
  .map((party) => {
    const lines = [
      ...party.setup.keys,
      `Callback address: \`PUBLIC_URL/callbacks/${party.name}\``,
      ...callbacksOf(party)
    ]
    return `### ${party.title}\n\n${lines.map((line) => `- ${line}`).join("\n")}`
  })
  .join("\n\n")

const [firstAlone] = declinedByOne
const lastAlone = declinedByOne.at(-1)

export const amountsTable = table(
  ["Last two digits", "What the fake does"],
  [
    ...magicDigits.map(([digits, outcome]) => [
      `\`${digits}\``,
      outcome === "completes" ? "takes it" : scenarios[outcome]
    ]),
    [
      `\`${firstAlone![0]}\` to \`${lastAlone![0]}\``,
      `one of them alone declines it, for reasons of its own: ${thirdPartyNames.join(", ")}, in this order`
    ],
    ["anything else", "takes it, and completes it a moment later"]
  ]
)
