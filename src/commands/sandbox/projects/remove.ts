// `centavo sandbox projects remove <name>`: deletes a project with its data, keys and snapshots.

import {ACCOUNT_EXITS, BaseCommand, requiredArgument} from '../../../cli/base.js';
import {confirmLocal} from '../../../cli/dry-run.js';
import {Args} from '../../../cli/oclif.js';
import {resultOfRecord} from '../../../cli/records.js';
import * as schema from '../../../cli/schema.js';
import {CentavoError, nextCommand, refusedError} from '../../../common/errors.js';
import {DEFAULT_PROJECT} from '../../../config/profiles.js';
import {projectsIn} from '../../../config/projects.js';
import {checkProjectName, sandboxName} from '../../../config/resolve.js';
import {forgetLocally} from '../shared/forget-locally.js';

const REMOVED = schema.record({project: schema.text});

export class ProjectsRemoveCommand extends BaseCommand {
  static override summary = 'Delete a project of the sandbox.';
  static override description =
    'Deletes its data, keys and snapshots. At a terminal, centavo asks first. The default project stays: sandbox reset empties it.';
  static override examples = ['<%= config.bin %> sandbox projects remove shop'];
  static override args = {name: Args.string({description: 'Name of the project.', helpValue: '<project>'})};
  static risk = 'destroys' as const;
  static exits = [...ACCOUNT_EXITS, 'not_found'] as const;
  static output = () => REMOVED;

  async run(): Promise<void> {
    const {args, flags} = await this.read(ProjectsRemoveCommand);
    const {context} = this;
    const given = requiredArgument(args.name, 'the project', 'centavo sandbox projects remove shop');
    const name = checkProjectName(given, 'the name');
    if (name === DEFAULT_PROJECT)
      throw refusedError('default_project', 'the default project cannot be removed.', {
        next: [nextCommand('To empty it', 'sandbox reset', context.projectArgs(name))],
      });
    const project = projectsIn(context.dataDirectory()).find((each) => each.name === name);
    if (!project)
      throw new CentavoError('not_found', `the sandbox has no project ${name}.`, {
        code: 'unknown_project',
        applied: 'no',
        next: [nextCommand('To list them', 'sandbox projects list')],
      });
    const account = sandboxName(name);
    const {deleteProject, projectServer} = await context.projects();
    const served = await projectServer(project.file);
    const [listener] = (await context.deliveries()).endpoints.running(
      {profile: account, mode: 'sandbox'},
      context.isAlive,
    );
    const by = served === undefined ? listener && `the listener of ${listener}` : `the server at ${served}`;
    if (by !== undefined)
      throw refusedError('project_in_use', `project ${name} is in use by ${by}.`, {
        hint: 'Stop it with Ctrl-C, then try again.',
      });
    if (!(await confirmLocal(context, flags, `delete the project ${name} with its data, keys and snapshots`))) return;
    deleteProject(project.file);
    await forgetLocally(context, account);
    await this.printDone(resultOfRecord(REMOVED, {project: name}));
  }
}
