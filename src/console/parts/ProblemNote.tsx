import { type Problem, titleOf } from "../api/Problem.ts"
import { Button } from "./Button.tsx"
import { Icon } from "./Icon.tsx"

interface Props {
  readonly problem: Problem
  readonly onRetry?: (() => void) | undefined
}

export const ProblemNote = ({ onRetry, problem }: Props) => (
  <div class="problem" role="alert">
    <Icon name="warn" />
    <div>
      <strong>{titleOf(problem)}</strong>
      {problem.message !== "" && <p>{problem.message}</p>}
    </div>
    {onRetry !== undefined && problem.status !== 403 && (
      <Button icon="refresh" onClick={onRetry}>
        Try again
      </Button>
    )}
  </div>
)
