import type { ComponentChildren } from "preact"
import type { Loaded } from "../state/Load.ts"
import { ProblemNote } from "./ProblemNote.tsx"
import { Skeleton } from "./Skeleton.tsx"

interface Props<A> {
  readonly loaded: Loaded<A>
  readonly lines?: number
  readonly children: (data: A) => ComponentChildren
}

/** Whatever is asked for: on its way, not to be had, or there. */
export const Awaited = <A,>({ children, lines = 5, loaded: { data, problem, reload } }: Props<A>) => {
  if (data !== undefined) return <>{children(data)}</>
  return problem === undefined ? <Skeleton lines={lines} /> : <ProblemNote problem={problem} onRetry={reload} />
}
