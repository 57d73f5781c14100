/** Whether the current fiber works inside `Transactor.atomically`. */
import { Context } from "effect"

export class InTransaction extends Context.Reference<InTransaction>()("corridor/InTransaction", {
  defaultValue: () => false
}) {}
