/** What is wrong with a field, below it, and told with it to whoever does not see the page. */
export interface Problematic {
  readonly id: string
  readonly problem: string | undefined
}

/** For the field itself. */
export const invalidBy = ({ id, problem }: Problematic) => ({
  "aria-invalid": problem !== undefined,
  "aria-describedby": problem === undefined ? undefined : id
})

export const Problem = ({ id, problem }: Problematic) =>
  problem === undefined ? null : (
    <small id={id} role="alert" class="problem bad">
      {problem}
    </small>
  )
