/* A GPU in this process: Python is started in it. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>
#include "engine.h"

static PyObject *device;

/* An error of the caller is one line; one of Python itself is shown with the place where it happened. */
static void fail_in_python(void)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *module = PyImport_ImportModule("vc4sim.problem");
    PyObject *bad = module ? PyObject_GetAttrString(module, "BadInput") : NULL;
    PyObject *text = bad && PyObject_IsInstance(value, bad) == 1 ? PyObject_Str(value) : NULL;
    if (text)
        fail(PyUnicode_AsUTF8(text));
    PyErr_Restore(type, value, trace);
    PyErr_Print();
    fail("this is a fault of the simulator");
}

/* Extension modules find the interpreter only among symbols that are global, and whoever loads this library may keep them local. */
static void start_python(void)
{
    if (Py_IsInitialized())
        return;
    if (!dlopen(PYTHON_LIBRARY, RTLD_NOW | RTLD_GLOBAL))
        fail(dlerror());
    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    config.install_signal_handlers = 0;
    config.parse_argv = 0;
    PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, PYTHON);
    if (!PyStatus_Exception(status))
        status = PyConfig_SetBytesString(&config, &config.executable, PYTHON);
    if (!PyStatus_Exception(status))
        status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status))
        fail(status.err_msg);
    PyEval_SaveThread();
}

static uint32_t call(enum call what, uint32_t offset, uint64_t value)
{
    if (!Py_IsInitialized())
        return 0; /* the program is a Python that ends */
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *result = PyObject_CallMethod(device, "call", "iIK", what, offset, (unsigned long long)value);
    if (!result)
        fail_in_python();
    uint32_t word = (uint32_t)PyLong_AsUnsignedLongMask(result);
    Py_DECREF(result);
    PyGILState_Release(state);
    return word;
}

/* What watches the device says its last; the program may go on to use it. */
static void close_at_exit(void)
{
    if (device)
        call(CLOSE, 0, 0);
}

static void start(void *memory, uint32_t size, const char *server)
{
    static int will_close;
    (void)server;
    start_python();
    if (!will_close)
        will_close = !atexit(close_at_exit);
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *module = PyImport_ImportModule("vc4sim.gl.device");
    PyObject *view = PyMemoryView_FromMemory(memory, size, PyBUF_WRITE);
    if (module && view)
        Py_XSETREF(device, PyObject_CallMethod(module, "of_environment", "O", view));
    if (!device)
        fail_in_python();
    Py_XDECREF(view);
    Py_XDECREF(module);
    PyGILState_Release(state);
}

const struct engine embedded = {start, call};
