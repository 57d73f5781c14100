/** Which rows of a list a query is to give. */
import type { Option } from "effect"

/** When the last row of a page was made, and its id. */
export type Position = readonly [at: string, id: string]

export interface Window {
  readonly after: Option.Option<Position>
  readonly take: number
}
