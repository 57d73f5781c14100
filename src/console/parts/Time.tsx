import { ago, exactTime, minuteOf } from "../state/Words.ts"

/** The exact time is at hand for whoever points at it. */
export const Time = ({ at, relative = false }: { readonly at: string; readonly relative?: boolean }) => (
  <time dateTime={at} title={exactTime(at)}>
    {relative ? ago(at) : minuteOf(at)}
  </time>
)
