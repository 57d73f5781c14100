/** Fee rules in memory. */
import { Effect, Layer, Option } from "effect"
import { memoryTable, openTables, currentDate, seenIn } from "../../platform/database/MemoryDatabase.ts"
import { type FeeRule, FeeRuleStore, type FeeSubject, subjectKey } from "./Fees.ts"

const feeTables = { feeRules: memoryTable<FeeRule>("feeRules") }

export const feeRuleStoreMemory = Layer.effect(
  FeeRuleStore,
  Effect.map(openTables(feeTables), ({ feeRules }) => {
    const find = (subject: FeeSubject) => Effect.sync(() => Option.fromNullable(feeRules.get(subjectKey(subject))))
    return {
      put: (rule) =>
        Effect.map(currentDate, (at) => {
          const before = feeRules.get(subjectKey(rule))
          const row: FeeRule = {
            ...rule,
            fee_rule_id: before?.fee_rule_id ?? rule.fee_rule_id,
            created_at: before?.created_at ?? at,
            updated_at: at
          }
          feeRules.set(subjectKey(rule), row)
          return row
        }),
      remove: (id) =>
        Effect.sync(() => {
          for (const [key, rule] of feeRules) if (rule.fee_rule_id === id) feeRules.delete(key)
        }),
      find,
      findForUpdate: find,
      list: (scope) =>
        Effect.sync(() => feeRules.all(seenIn(scope)).sort((a, b) => (subjectKey(a) < subjectKey(b) ? -1 : 1)))
    }
  })
)
