/** `corridor accounts`. */
import { Effect, Option } from "effect"
import { type Answer, call, callAll, orNotFound } from "../shared/ApiClient.ts"
import { argument, choice, commandOn, option, optional } from "../shared/Command.ts"
import { givenFields } from "../shared/CommandInput.ts"
import { minute, properties, tableOf } from "../shared/Table.ts"

const command = commandOn("whole")

type Account = Answer<"virtualAccounts", "get">["data"]

const balanceOf = ({ balance, currency }: Pick<Account, "balance" | "currency">) => `${balance.text} ${currency}`

export const accountTable = tableOf<
  Pick<Account, "account_id" | "org_id" | "virtual_account_name" | "balance" | "currency" | "status" | "created_at">
>(
  {
    ID: "account_id",
    ORGANISATION: "org_id",
    NAME: "virtual_account_name",
    BALANCE: balanceOf,
    STATUS: "status",
    CREATED: (account) => minute(account.created_at)
  },
  "No virtual accounts here.",
  ["CREATED", "ORGANISATION"]
)

const resultOf = (said: string, account: Account) => ({
  data: account,
  text: `${said}\n${properties([
    ["Account", account.account_id],
    ["Organisation", account.org_id],
    ["Name", account.virtual_account_name],
    ["Balance", balanceOf(account)],
    ["Status", account.status]
  ])}`
})

const noSuchAccount = (given: string) =>
  orNotFound(`There is no virtual account with the id ${given} ("corridor accounts list" shows them).`)

const accountId = argument("ACCOUNT", 'Id of the virtual account, as "corridor accounts list" shows it.')

export const transferOutcome = {
  id: argument("TRANSFER", 'Id of the transfer, as "corridor queue" shows it.'),
  as: choice(
    "as",
    ["credited", "returned"],
    "credited: it belongs to --account or --org, or is borne by it; returned: the provider undid it."
  ),
  reason: option("reason", "TEXT", "The evidence; saved with the transfer and in the audit log."),
  account: optional("account", "ACCOUNT", "With credited: the virtual account that gets or bears it."),
  org: optional("org", "ORG", "Instead of --account: the organisation whose settlement balance gets or bears it."),
  movement: optional("movement", "ID", "With returned: the provider's own id of the return, if it is known.")
}

export const accountCommands = [
  command("accounts list", "List virtual accounts with their balances, newest first.", {
    examples: ["corridor accounts list --org ORG"],
    takes: { org: optional("org", "ORG", "Only this organisation's.") },
    *run({ org }) {
      const data = yield* callAll("virtualAccounts", "list", { urlParams: { org_id: Option.getOrUndefined(org) } })
      return { data, ...accountTable(data) }
    }
  }),
  command("accounts freeze", "Freeze a virtual account: it can receive money, but not send any.", {
    examples: ['corridor accounts freeze ACCOUNT_ID --reason "Suspicious activity"'],
    takes: {
      id: accountId,
      reason: optional("reason", "TEXT", "Why; it goes into the audit log and to the organisation.")
    },
    *run({ id, reason }) {
      const request = { path: { account_id: id }, payload: givenFields({ reason }) }
      const { data } = yield* noSuchAccount(id)(call("virtualAccounts", "freeze", request))
      return resultOf("Frozen: it can receive money, but not send any.", data)
    }
  }),
  command("accounts unfreeze", "Unfreeze a virtual account: it can send money again.", {
    examples: ["corridor accounts unfreeze ACCOUNT_ID"],
    takes: { id: accountId },
    *run({ id }) {
      const { data } = yield* noSuchAccount(id)(call("virtualAccounts", "unfreeze", { path: { account_id: id } }))
      return resultOf("Active: it can send money again.", data)
    }
  }),
  command(
    "accounts resolve",
    "Resolve by hand a transfer to virtual accounts that waits in suspense. Audited; look it up at the provider first.",
    {
      examples: [
        'corridor accounts resolve TRANSFER_ID --as credited --account ACCOUNT_ID --reason "The sender confirmed it"',
        'corridor accounts resolve TRANSFER_ID --as returned --reason "Sent back in the dashboard"'
      ],
      takes: transferOutcome,
      check: (input) =>
        Effect.flatMap(
          Effect.promise(() => import("../actions/MoneyActions.ts")),
          ({ transferDecision }) => transferDecision(input)
        ),
      *run({ id }, payload) {
        const { data } = yield* orNotFound(
          `There is no incoming transfer with the id ${id} ("corridor queue" shows them).`
        )(call("virtualAccounts", "resolveTransfer", { path: { transfer_id: id }, payload }))
        const text = properties([
          ["Transfer", data.transfer_id],
          ["Amount", `${data.amount.text} ${data.currency}`],
          ["Organisation", data.org_id ?? "none"],
          ["Account", data.account_id ?? "none"],
          ["State", data.state]
        ])
        return { data, text: `Settled by hand.\n${text}` }
      }
    }
  )
]
