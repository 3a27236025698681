// Keeps the next commands of an error in its project, and names another project that has what was not found.

import type {Context} from '../../context/context.js';
import {nextCommand, type CentavoError} from '../../common/errors.js';
import {PROJECT_FLAG} from '../../config/profiles.js';
import {projectsIn} from '../../config/projects.js';

/** An id or the number of a statement: what names one object. */
const NAME = /^(?:[a-z]+(?:_[a-z]+)*_[A-Za-z0-9]+|[A-Za-z0-9]+-\d+)$/;

/** @param argv the command line */
export async function errorInProject(
  thrown: CentavoError,
  context: Context,
  argv: readonly string[],
): Promise<CentavoError> {
  const {project} = context.flags;
  const next = thrown.details.next?.map(({words, args}) => ({
    words,
    args: project === undefined || args.includes(PROJECT_FLAG) ? args : withProject(args, project),
  }));
  const error = thrown.with({next});
  const isOfSandbox = context.usesSandbox() && (context.usedMode() ?? 'sandbox') === 'sandbox';
  return error.kind === 'not_found' && isOfSandbox ? withOtherProject(error, context, argv) : error;
}

async function withOtherProject(error: CentavoError, context: Context, argv: readonly string[]): Promise<CentavoError> {
  const current = context.project();
  const others = projectsIn(context.dataDirectory()).filter(({name}) => name !== current);
  if (others.length === 0) return error;
  const {projectHas} = await context.projects();
  const names = argv.filter((word) => NAME.test(word));
  const other = others.find(({file}) => projectHas(file, names))?.name;
  const looked = `centavo looked in project ${current}${other === undefined ? '' : `. Project ${other} has it`}.`;
  return error.with({
    why: [error.details.why, looked].filter(Boolean).join(' '),
    ...(other !== undefined && {next: [nextCommand('To look there', withProject(argv, other))], hint: undefined}),
  });
}

/** Returns the command line with this project instead of its own. */
function withProject(argv: readonly string[], project: string): string[] {
  const at = argv.findIndex((word) => word === PROJECT_FLAG || word.startsWith(`${PROJECT_FLAG}=`));
  const rest = at < 0 ? [...argv] : argv.toSpliced(at, argv[at] === PROJECT_FLAG ? 2 : 1);
  const end = rest.includes('--') ? rest.indexOf('--') : rest.length;
  return rest.toSpliced(end, 0, PROJECT_FLAG, project);
}
