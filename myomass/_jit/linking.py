"""How the code of kernels is put together: optimised and translated once, in the kernel that needs it.

Numba finalises every function as a library of its own: it is optimised and translated to machine code together with all
that it calls, so the same code once for each level of calls above it. Here the code of an inner kernel is kept as LLVM
code (`InnerLibrary`), simplified, with what is inlined taken in; a kernel with machine code of its own, an entry or a
unit, links every inner kernel that it reaches once, and optimises and translates the whole (`WholeLibrary`). Units that
it calls stay outside: they are called by name.
"""

from llvmlite import binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager


class InnerLibrary(JITCodeLibrary):
    """The code of an inner kernel, kept as LLVM code until a kernel with machine code of its own links it."""

    inlined = False

    def __init__(self, codegen, name: str):
        super().__init__(codegen, name)
        self.environments: list[tuple] = []

    @property
    def codegen(self):
        """The library itself: all that Numba asks of it here is `set_env`."""
        return self

    def set_env(self, name: str, environment) -> None:
        """Keep an environment for the kernel that links this one: there is no machine code yet."""
        self.environments.append((name, environment))

    def _optimize_functions(self, module) -> None:
        """Nothing yet: it is simplified together with what is inlined."""
        module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Take in what is inlined, and simplify; nothing is translated."""
        self._raise_if_finalized()
        inlined = {id(library): library for library in self._linking_libraries if getattr(library, "inlined", False)}
        for library in inlined.values():
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        if inlined:
            builder, passes = self._codegen._pass_builder(), llvm.create_new_module_pass_manager()
            passes.add_always_inliner_pass()
            passes.add_global_dead_code_eliminate_pass()
            passes.run(self._final_module, builder)
        self._simplify()
        self._final_module.verify()
        self._finalized = True

    def _simplify(self) -> None:
        """A few cheap passes, as good as a whole optimisation would be here."""
        builder = self._codegen._pass_builder(opt=1)
        for function in self._final_module.functions:
            if not function.is_declaration:
                passes = llvm.create_new_function_pass_manager()
                passes.add_sroa_pass()
                passes.add_simplify_cfg_pass()
                passes.add_instruction_combine_pass()
                passes.add_simplify_cfg_pass()
                passes.run(function, builder)

    def get_pointer_to_function(self, name: str) -> int:
        """None: there is no machine code."""
        self._ensure_finalized()
        return 0


class UnitCode:
    """What stands for a unit where its callers are linked: nothing but how to have it at hand again."""

    _linking_libraries = ()

    def __init__(self, recall):
        self._reload_init = {recall}

    def _ensure_finalized(self) -> None:
        """Its machine code is there already."""


class WholeLibrary(JITCodeLibrary):
    """The code of an entry or a unit, with all inner kernels that it reaches."""

    def finalize(self) -> None:
        """Link every inner kernel that is reached, once, then optimise and translate the whole."""
        own = {id(library) for library in self._linking_libraries}
        found = _callees_last(self._linking_libraries)
        linked = [library for library in found if id(library) in own or not getattr(library, "inlined", False)]
        self._linking_libraries = [library for library in linked if not isinstance(library, UnitCode)]
        for library in found:
            self._reload_init.update(library._reload_init)
        super().finalize()
        missing = [f.name for f in self._final_module.functions if f.is_declaration and f.name.startswith("_ZN")]
        if missing:
            raise AssertionError(f"not linked: {missing}")
        for library in found:
            for name, environment in getattr(library, "environments", ()):
                if self._codegen._engine.get_global_value_address(name):
                    self._codegen.set_env(name, environment)


def _callees_last(libraries: list) -> list:
    """All libraries that these reach, each after all that call it: LLVM links only what is asked for already."""
    done, order = set(), []

    def visit(library) -> None:
        if id(library) in done:
            return
        done.add(id(library))
        for callee in library._linking_libraries if isinstance(library, InnerLibrary) else ():
            visit(callee)
        order.append(library)

    for library in libraries:
        visit(library)
    return order[::-1]


IDLE = (
    "WithLift",
    "InlineClosureLikes",
    "RewriteDynamicRaises",
    "MakeFunctionToJitFunction",
    "InlineInlinables",
    "FindLiterallyCalls",
    "LiteralUnroll",
    "InlineOverloads",
    "NopythonRewrites",
    "NoPythonSupportedFeatureValidation",
    "AnnotateTypes",
    "DumpParforDiagnostics",
)  # passes of Numba that find nothing to do in a kernel


def _without_idle_passes(pipeline: PassManager) -> PassManager:
    """A pipeline without the passes that never do anything for kernels."""
    shorter = PassManager(pipeline.pipeline_name)
    for one, description in pipeline.passes:
        if one.__name__ not in IDLE:
            shorter.add_pass(one, description)
    shorter.finalize()
    return shorter


class InnerCompiler(Compiler):
    """Numba's compiler, into a library that waits."""

    def define_pipelines(self):
        """Numba's own pipelines."""
        state = self.state
        if state.library is None:
            state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.inlined = bool(state.flags.forceinline)
            state.library.enable_object_caching()
        return [_without_idle_passes(pipeline) for pipeline in super().define_pipelines()]


class WholeCompiler(Compiler):
    """Numba's compiler, into a library that links all inner kernels."""

    def define_pipelines(self):
        """Numba's own pipelines."""
        state = self.state
        if state.library is None:
            state.library = WholeLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        return [_without_idle_passes(pipeline) for pipeline in super().define_pipelines()]
