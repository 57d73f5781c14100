/** Handlers of the endpoints for rules and lists. */
import { Effect } from "effect"
import type { RulesApi } from "../../contract/api/RulesApi.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { makeCamelPages, makePages } from "../../platform/pagination/Pagination.ts"
import { Rules } from "./Rules.ts"
import type { ListEntry, StoredRule } from "./RuleStore.ts"
import { RuleTrial } from "./RuleTrial.ts"

const shown = ({ max_amount, ...rule }: StoredRule) => ({
  ...rule,
  max_amount: max_amount === null ? null : max_amount.toShown(),
  currency: max_amount === null ? null : max_amount.currency
})

const TRIED = "Tried on the last 30 days"

export const rulesHandlers = Effect.gen(function* () {
  const rules = yield* Rules
  const trial = yield* RuleTrial
  const pages = yield* makePages
  const camelPages = yield* makeCamelPages
  const idOf = ({ entry_id }: ListEntry) => entry_id
  const all = (stored: ReadonlyArray<StoredRule>) => stored.map(shown)
  return {
    list: ({ permit }) => answer("Rules", rules.list(permit), all),
    set: ({ path, payload, permit }) => answer("Rule set", rules.set(permit, path.rule_name, payload), shown),
    remove: ({ path, permit }) => rules.remove(permit, path.rule_name),
    try: ({ payload, permit }) => answer(TRIED, trial.attempt(permit, payload)),
    entries: (request) => {
      const { list, subject } = request.urlParams
      const filters = { list, subject }
      return camelPages(request, {
        message: "List entries",
        filters,
        fetch: (window) => rules.entries(request.permit, filters, window),
        idOf
      })
    },
    addEntry: ({ payload, permit }) => answer("Added to the list", rules.addEntry(permit, payload)),
    removeEntry: ({ path, permit }) => rules.removeEntry(permit, path.entry_id),
    platformRules: ({ permit }) => answer("Rules", rules.list(permit), all),
    setPlatformRule: ({ path, payload, permit }) =>
      answer("Rule set", rules.set(permit, path.rule_name, payload), shown),
    removePlatformRule: ({ path, permit }) => rules.remove(permit, path.rule_name),
    tryPlatformRule: ({ payload, permit }) => answer(TRIED, trial.attempt(permit, payload)),
    platformEntries: (request) => {
      const { list, subject } = request.urlParams
      const filters = { list, subject }
      return pages(request, {
        message: "List entries",
        filters,
        fetch: (window) => rules.entries(request.permit, filters, window),
        idOf
      })
    },
    addPlatformEntry: ({ payload, permit }) => answer("Added to the list", rules.addEntry(permit, payload)),
    removePlatformEntry: ({ path, permit }) => rules.removeEntry(permit, path.platform_entry_id)
  } satisfies Handlers<typeof RulesApi>
})
