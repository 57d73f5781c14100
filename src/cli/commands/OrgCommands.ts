/** `corridor orgs`, and `corridor kyb` about their applications. */
import { Effect, Option } from "effect"
import { features, kybStatuses } from "../../domain/Organization.ts"
import { type Answer, call, callAll, orNotFound, Refused } from "../shared/ApiClient.ts"
import { argument, choice, commandOn, flag, maybe, option, optional, repeated } from "../shared/Command.ts"
import { givenFields, wireNumber } from "../shared/CommandInput.ts"
import { minute, printable, properties, tableOf } from "../shared/Table.ts"

const command = commandOn("records")

/** Loaded when they run: their options are checked by the contract. */
const orgActions = Effect.promise(() => import("../actions/OrgActions.ts"))

type Organization = Answer<"organizations", "get">["data"]

export const orgTable = tableOf<
  Pick<Organization, "org_id" | "name" | "country" | "currency" | "features" | "kyb_status" | "created_at">
>(
  {
    ID: "org_id",
    NAME: "name",
    COUNTRY: "country",
    CURRENCY: "currency",
    FEATURES: (org) => org.features.join(", ") || null,
    KYB: "kyb_status",
    CREATED: (org) => minute(org.created_at)
  },
  'No organisations yet: "corridor orgs create" makes one.',
  ["COUNTRY", "CURRENCY", "CREATED", "FEATURES"]
)

const describe = (org: Organization): string =>
  properties([
    ["Id", org.org_id],
    ["Name", org.name],
    ["Country", org.country],
    ["Currency", org.currency],
    ["E-mail", org.email],
    ["Features", org.features.join(", ") || null],
    ["KYB", org.kyb_status],
    ["Review from", org.review_threshold === null ? null : org.review_threshold.text],
    ["Spread (bps)", org.spread_bps === undefined ? null : String(org.spread_bps)]
  ])

type Application = Answer<"kyb", "get">["data"]

const approvalsOf = ({ approvals_needed, approved_by }: Pick<Application, "approvals_needed" | "approved_by">) =>
  `${approved_by.length} of ${approvals_needed}`

const applicationTable = tableOf<Answer<"kyb", "list">["data"][number]>(
  {
    ID: "kyb_customer_id",
    ORGANISATION: "name",
    COUNTRY: "country",
    STATUS: "kyb_status",
    APPROVALS: approvalsOf,
    APPLIED: (one) => minute(one.created_at)
  },
  "No KYB applications.",
  ["APPLIED", "COUNTRY"]
)

const applicationResult = (said: string, application: Application) => {
  const facts = properties([
    ["Application", application.kyb_customer_id],
    ["Organisation", `${application.name} (${application.org_id})`],
    ["Country", application.country],
    ["E-mail", application.email],
    ["Status", application.kyb_status],
    ["Approvals", approvalsOf(application)],
    ["Approved by", application.approved_by.join(", ") || null],
    ["Decided by", application.decided_by],
    ["Reason", application.reason],
    ["Applied", minute(application.created_at)]
  ])
  const documents = application.documents.map(({ name, type, url }) => `  ${printable(`${type}: ${name}, ${url}`)}`)
  const title = documents.length === 0 ? "No documents." : "Documents:"
  return { data: application, text: `${said}${[facts, title, ...documents].join("\n")}` }
}

const kybId = argument("ID", 'Id of the application, as "corridor kyb list" shows it.')

const noSuchApplication = (given: string) =>
  orNotFound(`There is no KYB application with the id ${given} ("corridor kyb list" shows them).`)

export const orgCommands = [
  command("orgs create", "Create an organisation (in sandbox mode a sandbox organisation).", {
    examples: ['corridor orgs create --name "Kilimo Ltd" --country KE --currency KES --email ops@kilimo.example'],
    takes: {
      name: option("name", "NAME", "Name of the organisation."),
      country: option("country", "CC", "Its home country, as an ISO 3166-1 code such as KE."),
      currency: option("currency", "CUR", "Its home currency, as an ISO 4217 code such as KES."),
      email: option("email", "ADDRESS", "Where messages to the organisation go."),
      features: repeated(choice("feature", features, "A feature to switch on."))
    },
    check: (input) => Effect.flatMap(orgActions, ({ newOrganization }) => newOrganization(input)),
    *run(_, payload) {
      const { data } = yield* call("organizations", "create", { payload })
      const next = `Next: corridor users create --email ADDRESS --subject SUBJECT --org ${data.org_id} --role org-admin`
      return { data, text: `Organisation created.\n${describe(data)}\n${next}` }
    }
  }),
  command("orgs list", "List all organisations, newest first.", {
    examples: ["corridor orgs list"],
    takes: {},
    *run() {
      const data = yield* callAll("organizations", "list", { urlParams: {} })
      return { data, ...orgTable(data) }
    }
  }),
  command("orgs set", "Change an organisation; only what is given changes, at once and on every instance.", {
    examples: ["corridor orgs set ORG --feature escrow --review-threshold 50000"],
    takes: {
      id: argument("ORG", "Id of the organisation."),
      name: optional("name", "NAME", "Name of the organisation."),
      email: optional("email", "ADDRESS", "Where messages to the organisation go."),
      country: optional("country", "CC", "Its home country, as an ISO 3166-1 code such as KE."),
      feature: repeated(choice("feature", features, "All features to be on, one by one.")),
      noFeatures: flag("no-features", "Switch all features off."),
      reviewThreshold: optional(
        "review-threshold",
        "AMOUNT",
        "Payments of this much and more, in its currency, wait for a review; 0 switches it off."
      ),
      spreadBps: optional("spread-bps", "N", "Basis points that its rates lie below the base rate: 0 to 9999."),
      kybStatus: maybe(choice("kyb-status", kybStatuses, "Whether its business was verified."))
    },
    check: (input) => Effect.flatMap(orgActions, ({ changeFrom }) => changeFrom(input)),
    *run({ id }, { review_threshold, ...change }) {
      const threshold = review_threshold === undefined ? {} : { review_threshold: wireNumber(review_threshold) }
      const { data } = yield* Effect.mapError(
        call("organizations", "change", { path: { org_id: id }, payload: { ...change, ...threshold } }),
        ({ message, status }) =>
          new Refused({ message: message.replace("review_threshold:", "--review-threshold"), status })
      )
      return { data, text: `Organisation changed.\n${describe(data)}` }
    }
  }),
  command("kyb list", "List the latest KYB application of each organisation, newest first.", {
    examples: ["corridor kyb list --status pending"],
    takes: { status: maybe(choice("status", kybStatuses, "Only those with this status.")) },
    *run({ status }) {
      const data = yield* callAll("kyb", "list", { urlParams: { status: Option.getOrUndefined(status) } })
      return { data, ...applicationTable(data) }
    }
  }),
  command("kyb show", "Show a KYB application with its documents.", {
    examples: ["corridor kyb show KYB_ID"],
    takes: { id: kybId },
    *run({ id }) {
      const { data } = yield* noSuchApplication(id)(call("kyb", "get", { path: { kyb_customer_id: id } }))
      return applicationResult("", data)
    }
  }),
  command("kyb approve", "Approve a KYB application; with KYB_APPROVALS=2 another person has to as well.", {
    examples: ["corridor kyb approve KYB_ID"],
    takes: { id: kybId, reason: optional("reason", "TEXT", "Sent to the organisation, and in the audit log.") },
    *run({ id, reason }) {
      const { data, message } = yield* noSuchApplication(id)(
        call("kyb", "approve", { path: { kyb_customer_id: id }, payload: givenFields({ reason }) })
      )
      return applicationResult(`${message}.\n`, data)
    }
  }),
  command("kyb reject", "Reject a KYB application; the organisation may apply again.", {
    examples: ['corridor kyb reject KYB_ID --reason "The register does not know this business"'],
    takes: { id: kybId, reason: option("reason", "TEXT", "Sent to the organisation, and in the audit log.") },
    *run({ id, reason }) {
      const { data, message } = yield* noSuchApplication(id)(
        call("kyb", "reject", { path: { kyb_customer_id: id }, payload: { reason } })
      )
      return applicationResult(`${message}.\n`, data)
    }
  })
]
