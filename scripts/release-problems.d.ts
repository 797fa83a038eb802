export function repositoryProblem(manifest: object): string | undefined;
export function auditProblem(output: string): string | undefined;
